/**
 * What a call may do, read off the declaration: the reference for `src/core/decision/decide.ts`, to be checked by eye.
 * Nothing is compiled or remembered; every question searches the lists again.
 */
import type * as core from "../src/core/index.ts";
import { causeOf, concernsCall, saidTo } from "./approval.ts";
import { isEndorsed, type Said, sinkOf } from "./endorsement.ts";
import * as labels from "./label.ts";
import {
  isPattern,
  meaningOf,
  meansAlone,
  type Names,
  type Offered,
  reaches,
  serverOf,
  type Tool,
} from "./names.ts";

/** `tools` are the identities it was narrowed to, `limits` the tool policies it was tightened with. */
export interface Session {
  readonly events: readonly core.SessionEvent[];
  readonly closed: boolean;
  readonly principal: string;
  readonly role: string | null;
  readonly tools: readonly string[] | null;
  readonly limits: readonly core.ToolPolicy[];
  /** All that it may ever be granted; null: what its role is. */
  readonly permissions: readonly core.Permission[] | null;
  /** The identities whose definition isn't the one that was accepted. */
  readonly changed: ReadonlySet<string>;
  readonly label: labels.Label;
}

/** The effect, the codes of all reasons, why a person is asked, and what the call brings in if it runs. */
export interface Answer {
  readonly effect: core.Effect;
  readonly codes: ReadonlySet<core.ReasonCode>;
  readonly causes: ReadonlySet<core.AskCause>;
  readonly source: labels.Label | null;
  /** The session's label may not go to the tool: only a person lets the call pass. */
  readonly release: boolean;
}

/** What a history adds up to; its label is the join of every label that came in. */
export function sessionOf(lattice: core.Lattice, events: readonly core.SessionEvent[]): Session {
  const opened = events.find((event) => event.kind === "session-opened");
  const sources = events.flatMap((event) => {
    if (event.kind === "call-admitted") return event.source === null ? [] : [event.source];
    return event.kind === "label-raised" ? [event.source] : [];
  });
  const closed = events.some((event) => event.kind === "session-closed");
  const added = sources.map((source) => labels.labelOf(lattice, source));
  const label = added.reduce(labels.join, labels.bottom(lattice));
  return {
    events,
    closed,
    principal: opened?.principal ?? "",
    role: opened?.role ?? null,
    tools: opened?.tools ?? null,
    limits: opened?.limits ?? [],
    permissions: opened?.permissions ?? null,
    changed: new Set(),
    label,
  };
}

export function decide(
  policy: core.PolicyDeclaration,
  offered: Offered,
  session: Session,
  call: core.Call,
  facts: core.Facts,
): Answer {
  const world = { policy, offered, session, facts, call };
  const candidates = meaningOf(world, call.tool);
  const there = candidates.filter(({ missing }) => !missing);
  const [meant] = candidates.length === 1 ? there : [];
  const objections = there.map((tool) => objectionsTo(world, tool));
  const seen = objections.filter((codes) => codes.every((code) => CHANGING.includes(code))).length > 1;
  const none = [seen ? "ambiguous-tool" : "unknown-tool"] as const;
  const codes = new Set<core.ReasonCode>(meant ? objections[0] : none);
  for (const code of stopsOf(world, meant)) codes.add(code);
  const isReleasable = meant !== undefined && releases(world, meant);
  const asks: readonly core.ReasonCode[] = [
    "approval-required",
    "rule-asks",
    "not-endorsed",
    ...(isReleasable ? FLOW : []),
  ];
  const denied = [...codes].some((code) => !asks.includes(code));
  const source = denied || meant === undefined ? null : sourceOf(world, meant);
  const effect = denied ? "deny" : codes.size > 0 ? "ask" : "allow";
  const causes = new Set(meant && codes.has("approval-required") ? causesOf(world, meant) : []);
  return { effect, codes, causes, source, release: !denied && isReleasable };
}

const FLOW = ["flow-blocked"] as const;

/** What holds a tool back at times only: a session sees the tool all the same. */
const CHANGING: readonly core.ReasonCode[] = [
  ...FLOW,
  "protected-path",
  "unknown-argument",
  "sign-in-needed",
  "denied-by-rule",
  "rule-asks",
  "not-endorsed",
  "approval-required",
  "approval-denied",
  "approval-expired",
];

interface World extends Names {
  readonly session: Session;
  readonly facts: core.Facts;
  readonly call: core.Call;
}

/** What speaks against any call of the session, or against all calls of the tool. */
const stopsOf = ({ session, facts }: World, tool: Tool | undefined): readonly core.ReasonCode[] => [
  ...(session.closed ? ["session-closed" as const] : []),
  ...(tool && isFrozen(facts.frozen, tool) ? ["frozen" as const] : []),
  ...(facts.faults?.length ? ["fault" as const] : []),
];

const isFrozen = (frozen: core.Facts["frozen"], tool: Tool): boolean =>
  frozen !== undefined &&
  (frozen.session !== null || frozen.servers.has(serverOf(tool) ?? "") || frozen.tools.has(tool.id));

/** Everything that speaks against calling a tool now, but for a closed session and faults. */
function objectionsTo(world: World, tool: Tool): readonly core.ReasonCode[] {
  const { policy, session, facts } = world;
  const grants = [facts.granted, roleOf(world).permissions, session.permissions ?? undefined].filter(
    (grant) => grant !== undefined,
  );
  const said = causesOf(world, tool).length > 0 ? personSays(facts.asked, session.events) : "approved";
  const isReleased = releases(world, tool) && said === "approved";
  const objections = [
    !tool.classified && policy.unclassified !== "ask" && "unclassified-tool",
    tool.classified && session.changed.has(tool.id) && "definition-changed",
    ...removalsOf(world, tool),
    session.tools?.includes(tool.id) === false && "hidden",
    facts.visible?.has(tool.id) === false && "hidden",
    grants.some((grant) => !tool.permissions.every((needed) => grant.includes(needed))) &&
      "permission-missing",
    ruled(world, tool, "deny") && "denied-by-rule",
    ruled(world, tool, "ask") && said !== "approved" && "rule-asks",
    !isWithin(world, tool) && !isReleased && "flow-blocked",
    !endorsed(world, tool) && said !== "approved" && "not-endorsed",
    ...foundOut(facts),
    said !== "approved" && (`approval-${said}` as const),
  ] as const;
  return objections.filter((code) => code !== false && code !== undefined);
}

/** What was found out about the call. */
const foundOut = ({ isProtected, unknownArgument, signIn }: core.Facts) =>
  [
    isProtected && "protected-path",
    unknownArgument && "unknown-argument",
    signIn && "sign-in-needed",
  ] as const;

/** What the call brings in: what its tool declares and what was found out; this alone where that is the most. */
function sourceOf({ policy, facts }: World, { source, sourceBound }: Tool): labels.Label | null {
  const lattice = labels.latticeOf(policy);
  const declared = source === undefined ? null : labels.sourceOf(lattice, source);
  if (facts.source === undefined) return declared;
  const found = labels.labelOf(lattice, facts.source);
  if (source === undefined || declared === null) return found;
  const isMost = sourceBound === "most" && labels.isKnown(lattice, source);
  return isMost && labels.flowsTo(found, declared) ? found : labels.join(declared, found);
}

const saidIn = ({ policy, session: { events }, facts }: World): Said => ({ policy, events, facts });

const receives = ({ session }: World, clearances: ReturnType<typeof sinkOf>): boolean =>
  clearances?.some((one) => one && labels.flowsTo(session.label, one)) ?? true;

/** Whether the session's label may go to the call unasked: any one clearance is enough, and without one all may. */
const isWithin = (world: World, tool: Tool): boolean => receives(world, sinkOf(saidIn(world), tool, false));

/** Whether it may not, and a person may release it: the tool says so, or the user named whom it goes to. */
const releases = (world: World, tool: Tool): boolean =>
  !isWithin(world, tool) &&
  (tool.onViolation === "ask" || receives(world, sinkOf(saidIn(world), tool, true)));

const endorsed = (world: World, tool: Tool): boolean => {
  const { trust } = labels.latticeOf(world.policy);
  return isEndorsed(saidIn(world), tool, world.session.label.trust < trust.length - 1);
};

/** What a condition sees besides the arguments. */
function toldOf({ policy, session }: World, tool: Tool): Omit<core.ConditionFacts, "args"> {
  const { principal, role, label } = session;
  const { levels, trust } = labels.latticeOf(policy);
  const { tags = [], permissions } = tool;
  const server = serverOf(tool);
  const name = server === null ? tool.id : tool.id.slice(`mcp__${server}__`.length);
  const of = { level: levels[label.level] ?? "*", trust: `${trust[label.trust]}`, principal, role };
  return {
    tool: { name, server, tags, permissions },
    session: { ...of, categories: [...label.categories] },
  };
}

/** Whether a rule with this effect concerns the call. */
const ruled = (world: World, tool: Tool, effect: "deny" | "ask"): boolean => {
  const asking = { arguments: world.call.arguments, facts: toldOf(world, tool) };
  return world.policy.rules?.some((rule) => rule.effect === effect && concernsCall(rule, asking)) ?? false;
};

/** Why a person must say yes: the declaration or the role, what the provider found, a release, and a rule. */
function causesOf(world: World, tool: Tool): readonly core.AskCause[] {
  const { facts, call } = world;
  const says = roleSays(world, tool) ?? tool.approval ?? "never";
  const told = toldOf(world, tool);
  const cause = causeOf({ says, classified: tool.classified, arguments: call.arguments, facts: told });
  const released = releases(world, tool) ? (["release"] as const) : [];
  const unsaid = endorsed(world, tool) ? [] : (["not-endorsed"] as const);
  const asked = ruled(world, tool, "ask") ? (["rule"] as const) : [];
  return [cause ?? [], facts.asks ?? [], released, unsaid, asked].flat();
}

/** What the person's answer does where one is asked for: a no stays a no, and who was held in vain is told. */
function personSays(asked: core.Asked | undefined, events: readonly core.SessionEvent[]) {
  const said = asked ? saidTo(events, asked) : null;
  if (said === null && asked?.isLeased) return "approved";
  if (said !== null || asked?.waitedUntil === undefined) return said ?? "required";
  return asked.waitedUntil <= asked.at ? "expired" : "required";
}

/** A role's word on a tool: a name before a pattern, and of those `always` before `never`. */
function roleSays(world: World, tool: Tool): "always" | "never" | undefined {
  const entries = Object.entries(roleOf(world).approval ?? {});
  for (const inPatterns of [false, true]) {
    const those = entries.filter(([entry]) => isPattern(entry) === inPatterns);
    if (those.some(([entry, word]) => word === "always" && reaches(entry, tool))) return "always";
    if (those.some(([entry, word]) => word === "never" && meansAlone(world, entry, tool))) return "never";
  }
  return undefined;
}

/** No role: no limit. A role that is gone: no tool and no permission. */
function roleOf({ policy: { roles = {} }, session: { role } }: World): core.RoleDeclaration {
  return role === null ? {} : (new Map(Object.entries(roles)).get(role) ?? { tools: [], permissions: [] });
}

/** Denied ∪, allowed ∩, tags ∪ of all the tool policies, and the role's tool set: each that takes it away. */
function removalsOf(world: World, tool: Tool): readonly (core.ReasonCode | false)[] {
  const role = roleOf(world);
  const stack: readonly core.ToolPolicy[] = [world.policy.policy ?? {}, ...world.session.limits, role];
  const denies = (entry: string): boolean => reaches(entry, tool);
  const admits = (entry: string): boolean => meansAlone(world, entry, tool);
  const lacks = (tag: string): boolean => !tool.tags?.includes(tag);
  return [
    stack.some(({ deniedTools }) => deniedTools?.some(denies)) && "denied-by-policy",
    stack.some(({ allowedTools }) => allowedTools?.some(admits) === false) && "denied-by-policy",
    stack.some(({ requireTags }) => requireTags?.some(lacks)) && "missing-tag",
    role.tools?.some(admits) === false && "not-in-tool-set",
  ];
}
