/** Whether a call's data may flow: the session's label against the clearances of the call's recipients. */

import { userWordFor } from "../endorsement/endorse.ts";
import { clearanceFor, isAmong } from "../endorsement/endorsement-rules.ts";
import type { GivenValue } from "../endorsement/user-word.ts";
import { ANY, flowsTo, type Label, type Lattice, lowestClearance } from "../label/label.ts";
import { meet } from "../label/meet-clearances.ts";
import { Sink } from "../label/sink.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import type { Tool } from "../tools/tool.ts";
import { type DecisionContext, isHidden } from "./decision-context.ts";
import type { Reason } from "./reason.ts";

/** A call that sends data out. */
export interface Flow {
  readonly sink: Sink;
  readonly clearances: readonly Label[];
  /** The session's label may not flow there without approval. */
  readonly isBlocked: boolean;
  /** A person may release it. */
  readonly isReleasable: boolean;
  /** Beyond these a person can't release it, unless the tool allows that; null: it sends nothing out. */
  readonly limits: readonly Label[] | null;
}

const NONE: readonly never[] = Object.freeze([]);

/** The blocked flow of a call to a tool with fixed clearances; null if nothing is blocked. */
export function plainFlow(
  { policy, state }: DecisionContext,
  tool: Tool,
  compiled: Sink | null,
): Flow | null {
  if (compiled === null) return null;
  const clearances = tool.clearances ?? NONE;
  const sink =
    state.lattice === policy.lattice ? compiled : new Sink(state.lattice, clearances, policy.names);
  if (sink.receives(state.label)) return null;
  return { sink, clearances, isBlocked: true, isReleasable: tool.onViolation === "ask", limits: clearances };
}

/** The flow of a call whose recipients are in its arguments, or were named by the user. */
export function flowOf(context: DecisionContext, tool: Tool): Flow {
  const { policy, state } = context;
  const { unasked, releasable } = sinkOfCall(context, tool);
  const sink = new Sink(state.lattice, unasked ?? NONE, policy.names);
  const isBlocked = unasked !== null && !sink.receives(state.label);
  const isReleasable = isBlocked && (tool.onViolation === "ask" || mayReceive(state, releasable));
  return { sink, clearances: unasked ?? NONE, isBlocked, isReleasable, limits: releasable };
}

type Held = Pick<SessionState, "lattice" | "label">;

/** Whether the session's current label flows to one of these; null: no limit. */
const mayReceive = ({ lattice, label }: Held, clearances: readonly Label[] | null): boolean =>
  clearances?.some((clearance) => flowsTo(lattice, label, clearance)) ?? true;

/** Whether the session's current label flows to the tool, if that doesn't depend on a call's recipients. */
export const isWithin = (held: Held, tool: Tool): boolean =>
  tool.to !== null || mayReceive(held, tool.clearances);

/** Whether the session's current label blocks a tool, and nobody may release it. */
export const isBlocked = (held: Held, tool: Tool): boolean =>
  tool.onViolation === "deny" && !isWithin(held, tool);

/** Whether the session's label blocks every later call of a tool: labels only rise. */
export const isBlockedForGood = (policy: Policy, held: Held, tool: Tool): boolean =>
  isBlocked(held, tool) && !isDecidedByArguments(policy, tool);

/** Whether a call's arguments decide what may be sent: its recipients, or those that the user named. */
const isDecidedByArguments = ({ endorsement }: Policy, tool: Tool): boolean =>
  tool.to !== null || (endorsement.named !== null && tool.critical.length > 0);

export function blockedFlow(
  context: DecisionContext,
  tool: Tool,
  { sink, clearances, isReleasable }: Flow,
): Reason {
  const { label, contributions, tools } = context.state;
  const seesAll = tools === null && context.facts.visible === undefined;
  const { causes, more } = seesAll
    ? sink.causesIn(contributions)
    : sink.findCauses(contributions, (id) => isHidden(context, id));
  const blocked = { code: "flow-blocked", tool: tool.name, ...sink.cut(label), clearances, causes } as const;
  const reason = more === 0 ? blocked : { ...blocked, moreCauses: more };
  if (isReleasable) return { ...reason, releasable: true };
  return isDecidedByArguments(context.policy, tool) ? { ...reason, byArguments: true } : reason;
}

/** Clearances, any one of which is enough; null: it sends nothing out. */
interface CallSink {
  readonly unasked: readonly Label[] | null;
  /** What a person may release; beyond it the call is denied, unless the tool allows more. */
  readonly releasable: readonly Label[] | null;
}

/**
 * What one call may send out without approval, and what a person may release: its tool's clearances, or those of its
 * recipients; more if the user named the recipients.
 */
function sinkOfCall(context: DecisionContext, tool: Tool): CallSink {
  if (tool.to !== null) return toRecipients(context, tool, tool.to);
  const { clearances } = tool;
  const { named } = context.policy.endorsement;
  if (clearances === null || named === null || !isNamed(context, tool, tool.critical))
    return { unasked: clearances, releasable: clearances };
  const raised = (level: string): readonly Label[] =>
    clearances.map((clearance) => raise(context.policy.lattice, clearance, level));
  return { unasked: raised(named), releasable: raised(ANY) };
}

function toRecipients(context: DecisionContext, tool: Tool, paths: readonly string[]): CallSink {
  const { policy, facts } = context;
  const { lattice, endorsement } = policy;
  const recipients = facts.values?.filter(({ path }) => isAmong(paths, path)) ?? [];
  if (recipients.length === 0) {
    // No recipient is known: a tool that reaches outside may have one of its own, and a plan may not name it yet.
    const isOpen = tool.permissions.includes("connect") || facts.values === undefined;
    const sink = isOpen ? [lowestClearance(lattice)] : null;
    return { unasked: sink, releasable: sink };
  }
  const { named } = endorsement;
  const each = recipients.map((recipient) => {
    const clearance = clearanceFor(lattice, endorsement, context.state.words, recipient);
    const isUserWord = named !== null && userWordFor(context, tool, recipient) !== null;
    return {
      unasked: isUserWord ? raise(lattice, clearance, named) : clearance,
      releasable: isUserWord ? raise(lattice, clearance, ANY) : clearance,
    };
  });
  return {
    unasked: [each.map(({ unasked }) => unasked).reduce((left, right) => meet(lattice, left, right))],
    releasable: [
      each.map(({ releasable }) => releasable).reduce((left, right) => meet(lattice, left, right)),
    ],
  };
}

/** Whether each critical argument of a call is the user's word, and there is at least one. */
function isNamed(context: DecisionContext, tool: Tool, critical: readonly string[]): boolean {
  const given: readonly GivenValue[] =
    context.facts.values?.filter(({ path }) => isAmong(critical, path)) ?? [];
  return given.length > 0 && given.every((value) => userWordFor(context, tool, value) !== null);
}

/** A clearance with a higher level; its categories and required trust stay. */
function raise(lattice: Lattice, clearance: Label, level: string): Label {
  const rank = (name: string): number =>
    name === ANY ? lattice.levels.length : lattice.levels.indexOf(name);
  return rank(level) > rank(clearance.level) ? { ...clearance, level } : clearance;
}
