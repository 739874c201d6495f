/**
 * The port of detectors: what a tool gave back, or threw, is inspected before any of it is released. What is found
 * only ever raises; a look that fails counts as having found the worst.
 */
import {
  type Finding,
  isKnownLabel,
  join,
  type LabelDeclaration,
  topLabel,
  toSource,
} from "../../core/index.ts";
import { extractIfcHint } from "./ifc-hint.ts";
import { proposeRaise, raiseSession, type SessionScope } from "./raise-label.ts";

/** What a look into a result came to. */
export interface Inspection {
  readonly findings: readonly Finding[];
  /** The label that the session is raised by; null if nothing was found. */
  readonly label: LabelDeclaration | null;
}

/** What is known of a result that is inspected. */
export interface InspectedCall {
  readonly tool: string;
  /** The session whose label it would raise: whoever shares out places counts by it. */
  readonly labelHolder?: string;
}

/** Looks into what a tool gave back or threw, whatever that is; a host's tools may give anything. */
export type InspectResult = (result: unknown, call: InspectedCall) => Promise<Inspection>;

/** What was found, as it is raised and recorded. */
interface Found {
  readonly label: LabelDeclaration;
  readonly findings: readonly Finding[];
}

/** Findings that one entry of the journal holds. */
const MAX_FINDINGS = 64;

/**
 * Looks into what is about to be released, and raises the session by what is found and by what a server says of it.
 * Durable when it resolves; where the session's label covers it already, that it was found is written behind. Gives
 * what was found; null if nothing was.
 */
export async function inspectResult(
  place: SessionScope,
  value: unknown,
  { callId, tool }: { readonly callId: string | null; readonly tool: string },
): Promise<LabelDeclaration | null> {
  const said = readSaid(place, value);
  const found = both(place, said, await inspectValue(place, value, tool));
  if (found === null) return null;
  const raise = { ...found, dataset: callId === null && tool !== "" ? tool : undefined, callId };
  if (!isCovered(place, found)) {
    await raiseSession(place, raise);
    return found.label;
  }
  // What a server says of each of its results is no news.
  if (found === said) return found.label;
  const recorded = place.ledger.commit((state) => proposeRaise(state, raise), { lazy: true });
  recorded.catch((cause: unknown) => place.gate.onFault(cause));
  return found.label;
}

/** Whether nothing is in a value that the session's label doesn't cover. */
export async function isWithinLabel(place: SessionScope, value: unknown, tool: string): Promise<boolean> {
  const found = both(place, readSaid(place, value), await inspectValue(place, value, tool));
  return found === null || isCovered(place, found);
}

/** What a server says of a result; null if it says nothing. */
function readSaid({ ledger }: SessionScope, value: unknown): Found | null {
  const { lattice } = ledger.state;
  try {
    const { label } = extractIfcHint(lattice, value);
    return label && { label, findings: [{ kind: "upstream-label", place: "_meta.ifc" }] };
  } catch {
    // THREAT: a result's own getters and proxies may throw.
    return { label: topLabel(lattice), findings: [UNEXAMINED] };
  }
}

function both({ ledger }: SessionScope, one: Found | null, other: Found | null): Found | null {
  if (one === null || other === null) return one ?? other;
  const { lattice } = ledger.state;
  const label = join(lattice, toSource(lattice, one.label), toSource(lattice, other.label));
  return { label, findings: [...one.findings, ...other.findings] };
}

/** What detectors find in a value; null if they find nothing. Never rejects. */
async function inspectValue(
  { gate, ledger }: SessionScope,
  value: unknown,
  tool: string,
): Promise<Found | null> {
  if (gate.inspect === null || value === undefined) return null;
  const { lattice } = ledger.state;
  try {
    const { findings, label } = await gate.inspect(value, { tool, labelHolder: ledger.labelHolder });
    if (label === null) return null;
    // The policy may have other levels by now than the detectors were made with.
    const isKnown = isKnownLabel(lattice, toSource(lattice, label));
    return { label: isKnown ? label : topLabel(lattice), findings: findings.slice(0, MAX_FINDINGS) };
  } catch {
    return { label: topLabel(lattice), findings: [UNEXAMINED] };
  }
}

const UNEXAMINED: Finding = Object.freeze({ kind: "unexamined", place: "" });

function isCovered({ ledger }: SessionScope, { label }: Found): boolean {
  const { lattice, label: held } = ledger.state;
  return join(lattice, held, toSource(lattice, label)) === held;
}
