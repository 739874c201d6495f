/**
 * Converts between the journal's entries and the core's events. An entry of an unknown kind or an invalid shape
 * counts as the worst case: it raises the session to the top label.
 */
import {
  type Appearance,
  type EditedArguments,
  EVIDENCE_KINDS,
  type Evidence,
  type Finding,
  type Lattice,
  type LeasedStep,
  type LeaseUse,
  MAX_APPROVERS,
  PERMISSION_SHAPE,
  type Permission,
  parseLabel,
  type Reason,
  type SessionEvent,
  TOOL_POLICY_SHAPE,
  type ToolPolicy,
  toLimit,
  topLabel,
  type Utterance,
} from "../../core/index.ts";
import type { JournalEntry } from "../ports/store.ts";

/** An event as the journal stores it, before it is sealed. */
export function toEntryData(event: SessionEvent): { kind: string; data: Record<string, unknown> } {
  const { kind, ...data } = event;
  return { kind, data };
}

type Data = Readonly<Record<string, unknown>>;
type Reader = (data: Data, lattice: Lattice) => SessionEvent | null;

const text = (data: Data, key: string): string | null => {
  const value = data[key];
  return typeof value === "string" ? value : null;
};

const count = (data: Data, key: string): number | null => {
  const value = data[key];
  return typeof value === "number" ? value : null;
};

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["session-opened", readOpened],
  ["call-admitted", readAdmitted],
  ["call-refused", readRefused],
  ["approval-requested", readRequested],
  ["plan-requested", readPlan],
  ["approval-shown", readShown],
  ["approval-signed", readSigned],
  ["approval-answered", readAnswered],
  ["approval-ended", readEnded],
  ["call-finished", readFinished],
  ["words-said", readWords],
  ["label-raised", readRaised],
  ["impossible-reported", () => ({ kind: "impossible-reported" })],
  ["refusal-appealed", readAppealed],
  ["session-forked", readForked],
  ["run-paused", readPaused],
  ["run-ended", readRunEnded],
  ["session-closed", readClosed],
]);

/** The event of an entry; null if it is invalid. */
export const readEntry = (lattice: Lattice, entry: JournalEntry): SessionEvent | null =>
  READERS.get(entry.kind)?.(entry.data, lattice) ?? null;

/** The event of an entry; a raise to the top label if it is invalid. */
export function fromEntry(lattice: Lattice, entry: JournalEntry): SessionEvent {
  const event = readEntry(lattice, entry);
  if (event) return event;
  const source = topLabel(lattice);
  return {
    kind: "label-raised",
    call: null,
    step: null,
    tool: null,
    source,
    dataset: "unreadable",
    label: source,
  };
}

function readOpened(data: Data): SessionEvent | null {
  const principal = text(data, "principal");
  const { tools, task } = data;
  const names = Array.isArray(tools) ? tools.filter((name) => typeof name === "string") : null;
  const limits = data.limits === undefined ? [] : readLimits(data.limits);
  if (principal === null || (tools !== null && names?.length !== (Array.isArray(tools) ? tools.length : -1)))
    return null;
  const [parent, shares] = ["parent", "shares"].map((key) => text(data, key));
  if (limits === null || (shares == null && data.shares !== undefined)) return null;
  const permissions = readPermissions(data.permissions);
  if (permissions === null) return null;
  return {
    kind: "session-opened",
    principal,
    role: text(data, "role"),
    tools: names,
    task: task === true,
    ...(parent != null && { parent }),
    ...(limits.length > 0 && { limits }),
    ...permissions,
    ...(shares != null && { shares }),
  };
}

/** Tool policies; null if one of them is invalid, since skipping it would permit more. */
function readLimits(given: unknown): readonly ToolPolicy[] | null {
  if (!Array.isArray(given)) return null;
  const read = given.map((one: unknown) => (isToolPolicy(one) ? one : null));
  return read.includes(null) ? null : read.filter((one) => one !== null);
}

/** The entry's permissions; null if they are invalid. */
function readPermissions(given: unknown): { readonly permissions?: readonly Permission[] } | null {
  if (given === undefined) return {};
  return isPermissions(given) ? { permissions: given } : null;
}

const isPermissions = (value: unknown): value is readonly Permission[] =>
  Array.isArray(value) && value.every((one) => PERMISSION_SHAPE(one, "") === null);

function isToolPolicy(value: unknown): value is ToolPolicy {
  if (TOOL_POLICY_SHAPE(value, "") !== null) return false;
  try {
    // The shape is valid, but its entries may be invalid patterns.
    toLimit(value as ToolPolicy);
    return true;
  } catch {
    return false;
  }
}

function readAppealed(data: Data, lattice: Lattice): SessionEvent | null {
  const [call, tool] = ["call", "tool"].map((key) => text(data, key));
  if (call == null || tool == null) return null;
  return { kind: "refusal-appealed", call, tool, label: parseLabel(lattice, data.label) };
}

function readForked(data: Data): SessionEvent | null {
  const fork = text(data, "fork");
  return fork === null ? null : { kind: "session-forked", fork };
}

function readPaused(data: Data): SessionEvent | null {
  const [run, expires] = ["run", "expires"].map((key) => text(data, key));
  return run == null || expires == null ? null : { kind: "run-paused", run, expires };
}

function readRunEnded(data: Data): SessionEvent | null {
  const run = text(data, "run");
  const { outcome } = data;
  if (run === null || (outcome !== "resumed" && outcome !== "expired")) return null;
  return { kind: "run-ended", run, outcome };
}

function readAdmitted(data: Data, lattice: Lattice): SessionEvent | null {
  const [call, tool, digest, dataset] = ["call", "tool", "arguments", "dataset"].map((key) =>
    text(data, key),
  );
  if (call == null || tool == null || digest == null || dataset == null) return null;
  const approval = text(data, "approval");
  if (approval === null && data.approval !== undefined) return null;
  const source = data.source === null ? null : parseLabel(lattice, data.source);
  const runner = text(data, "runner");
  const lease = data.lease === undefined ? undefined : readLeaseUse(data.lease);
  if (lease === null) return null;
  return {
    kind: "call-admitted",
    call,
    tool,
    arguments: digest,
    source,
    dataset,
    label: parseLabel(lattice, data.label),
    ...(approval !== null && { approval }),
    ...(typeof data.standing === "string" && { standing: data.standing }),
    ...(data.release === true && { release: true }),
    ...(runner != null && { runner }),
    ...(lease && { lease }),
  };
}

function readLeaseUse(value: unknown): LeaseUse | null {
  if (typeof value !== "object" || value === null) return null;
  const [approval, step] = [Reflect.get(value, "approval"), Reflect.get(value, "step")];
  return typeof approval === "string" && typeof step === "number" ? { approval, step } : null;
}

function readPlan(data: Data, lattice: Lattice): SessionEvent | null {
  const [call, approval, binding, expires] = ["call", "approval", "binding", "expires"].map((key) =>
    text(data, key),
  );
  if (call == null || approval == null || binding == null || expires == null) return null;
  const steps = Array.isArray(data.steps) ? data.steps.map((step) => readLeasedStep(step, lattice)) : [null];
  if (steps.includes(null)) return null;
  const asked = { kind: "plan-requested", call, approval, binding, expires } as const;
  const label = parseLabel(lattice, data.label);
  const plan = { ...asked, label, steps: steps.filter((step) => step !== null) };
  return { ...plan, ...readWeight(data) };
}

function readLeasedStep(value: unknown, lattice: Lattice): LeasedStep | null {
  if (typeof value !== "object" || value === null) return null;
  const [tool, key, why, after] = ["tool", "key", "why", "after"].map((name): unknown =>
    Reflect.get(value, name),
  );
  const label: unknown = Reflect.get(value, "label");
  if (typeof tool !== "string" || (key !== null && typeof key !== "string") || !isTexts(why)) return null;
  if (!Array.isArray(after) || !after.every((step) => typeof step === "number")) return null;
  // THREAT: an invalid label reads as the highest, and as a clearance that would allow everything.
  const isReadable = isExactLabel(lattice, label);
  return { tool, key: isReadable ? key : null, label: parseLabel(lattice, label), why, after };
}

/** Whether the value is a label of the lattice, in the form in which it is written. */
function isExactLabel(lattice: Lattice, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const label = parseLabel(lattice, value);
  return (
    label.level === Reflect.get(value, "level") &&
    label.trust === Reflect.get(value, "trust") &&
    isTexts(Reflect.get(value, "categories"))
  );
}

interface Refusal {
  readonly call: string;
  readonly tool: string;
  readonly arguments: string;
  readonly reasons: readonly Reason[];
  readonly label: ReturnType<typeof parseLabel>;
}

function readRefusal(data: Data, lattice: Lattice): Refusal | null {
  const [call, tool, digest] = ["call", "tool", "arguments"].map((key) => text(data, key));
  if (call == null || tool == null || digest == null || !Array.isArray(data.reasons)) return null;
  // Reasons are for readers of the journal; no decision depends on them.
  const reasons: readonly Reason[] = data.reasons;
  return { call, tool, arguments: digest, reasons, label: parseLabel(lattice, data.label) };
}

function readRefused(data: Data, lattice: Lattice): SessionEvent | null {
  const refusal = readRefusal(data, lattice);
  return refusal && { kind: "call-refused", ...refusal };
}

function readRequested(data: Data, lattice: Lattice): SessionEvent | null {
  const refusal = readRefusal(data, lattice);
  const [approval, binding, expires] = ["approval", "binding", "expires"].map((key) => text(data, key));
  if (refusal === null || approval == null || binding == null || expires == null) return null;
  const asked = { kind: "approval-requested", ...refusal, approval, binding, expires } as const;
  return { ...asked, ...readWeight(data) };
}

/**
 * Whether an approval is a release, and how many people must approve. THREAT: if that is invalid, the maximum counts.
 */
function readWeight({ release, approvers }: Data): { readonly release?: true; readonly approvers?: number } {
  const isCount = typeof approvers === "number" && Number.isInteger(approvers);
  return {
    ...(release === true && { release }),
    ...(approvers !== undefined && { approvers: isCount ? approvers : MAX_APPROVERS }),
  };
}

function readSigned(data: Data): SessionEvent | null {
  const [approval, call, tool, by] = ["approval", "call", "tool", "by"].map((key) => text(data, key));
  if (approval == null || call == null || tool == null || by == null) return null;
  const [via, why] = ["via", "why"].map((key) => text(data, key));
  const said = { ...(via != null && { via }), ...(why != null && { why }) };
  return { kind: "approval-signed", approval, call, tool, by, ...said };
}

function readShown(data: Data): SessionEvent | null {
  const [approval, via] = ["approval", "via"].map((key) => text(data, key));
  return approval == null || via == null ? null : { kind: "approval-shown", approval, via };
}

function readEnded(data: Data): SessionEvent | null {
  const [approval, call, tool] = ["approval", "call", "tool"].map((key) => text(data, key));
  const { outcome } = data;
  if (approval == null || call == null || tool == null) return null;
  if (outcome !== "expired" && outcome !== "cancelled") return null;
  return { kind: "approval-ended", approval, call, tool, outcome };
}

function readAnswered(data: Data): SessionEvent | null {
  const [approval, call, tool, by] = ["approval", "call", "tool", "by"].map((key) => text(data, key));
  const { answer } = data;
  const [via, why] = ["via", "why"].map((key) => text(data, key));
  if (approval == null || call == null || tool == null || by == null) return null;
  if (answer !== "approved" && answer !== "denied") return null;
  const edited = data.edited === undefined ? undefined : readEdited(data.edited);
  if (edited === null) return null;
  const said = {
    ...(via != null && { via }),
    ...(why != null && { why }),
    ...(edited && { edited }),
    ...(typeof data.standing === "string" && { standing: data.standing }),
  };
  return { kind: "approval-answered", approval, call, tool, answer, by, ...said };
}

/** An invalid edit makes its entry invalid: another call was approved. */
function readEdited(given: unknown): EditedArguments | null {
  if (typeof given !== "object" || given === null) return null;
  const [digest, binding, changed] = ["arguments", "binding", "changed"].map((key): unknown =>
    Reflect.get(given, key),
  );
  if (typeof digest !== "string" || typeof binding !== "string" || !isTexts(changed)) return null;
  return { arguments: digest, binding, changed };
}

function readFinished(data: Data): SessionEvent | null {
  const call = text(data, "call");
  const outcome = text(data, "outcome");
  if (call === null || (outcome !== "ok" && outcome !== "error" && outcome !== "unknown")) return null;
  const evidence = Array.isArray(data.evidence) ? data.evidence.flatMap(readEvidence) : [];
  const seen = readAppearance(data.seen);
  return {
    kind: "call-finished",
    call,
    outcome,
    ...(evidence.length > 0 && { evidence }),
    ...(seen && { seen }),
  };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function readWords(data: Data): SessionEvent | null {
  const { utterances } = data;
  const isUtterance = (one: unknown): one is Utterance => Array.isArray(one) && one.every(isTexts);
  if (!Array.isArray(utterances) || !utterances.every(isUtterance)) return null;
  return { kind: "words-said", utterances };
}

/** Invalid evidence proves nothing. */
function readEvidence(value: unknown): readonly Evidence[] {
  if (typeof value !== "object" || value === null) return [];
  const [kind, server, group, values] = ["kind", "server", "group", "values"].map((key): unknown =>
    Reflect.get(value, key),
  );
  const known = EVIDENCE_KINDS.find((one) => one === kind);
  if (known === undefined || (server !== null && typeof server !== "string") || !isTexts(values)) return [];
  return [{ kind: known, server, ...(typeof group === "string" && { group }), values }];
}

/** Where values came from is for people; no decision depends on it. */
function readAppearance(value: unknown): Appearance | null {
  if (typeof value !== "object" || value === null) return null;
  const [step, tool, trust, values] = ["step", "tool", "trust", "values"].map((key): unknown =>
    Reflect.get(value, key),
  );
  if (typeof step !== "number" || typeof tool !== "string" || typeof trust !== "string" || !isTexts(values))
    return null;
  return { step, tool, trust, values };
}

function readRaised(data: Data, lattice: Lattice): SessionEvent | null {
  const dataset = text(data, "dataset");
  if (dataset === null) return null;
  return {
    kind: "label-raised",
    call: text(data, "call"),
    step: count(data, "step"),
    tool: text(data, "tool"),
    source: parseLabel(lattice, data.source),
    dataset,
    label: parseLabel(lattice, data.label),
    ...(data.reported === true && { reported: true }),
    ...(Array.isArray(data.findings) && { findings: data.findings.flatMap(readFinding) }),
  };
}

/** Findings are for readers of the journal; no decision depends on them. */
function readFinding(value: unknown): readonly Finding[] {
  if (typeof value !== "object" || value === null) return [];
  const [kind, place] = [Reflect.get(value, "kind"), Reflect.get(value, "place")];
  return typeof kind === "string" && typeof place === "string" ? [{ kind, place }] : [];
}

function readClosed(data: Data, lattice: Lattice): SessionEvent | null {
  const { reason } = data;
  if (reason === "archived" || reason === "restored") {
    const label = parseLabel(lattice, data.label);
    return { kind: "session-closed", reason, principal: text(data, "principal") ?? "", label };
  }
  const successor = text(data, "successor");
  return successor === null ? null : { kind: "session-closed", reason: "reset", successor };
}
