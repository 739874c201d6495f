/** What a call would send out, against what it may: the session's label and the clearances of the call's recipients. */

import { sinkOfCall } from "../endorsement/call-sink.ts";
import { flowsTo, type Label } from "../label/label.ts";
import { Sink } from "../label/sink.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import type { Tool } from "../tools/tool.ts";
import { type DecisionContext, isHidden } from "./decision-context.ts";
import type { Reason } from "./reason.ts";

/** A call that sends something out. */
export interface Flow {
  readonly sink: Sink;
  readonly clearances: readonly Label[];
  /** The session's label may not go there unasked. */
  readonly isBlocked: boolean;
  /** And a person may release it. */
  readonly isReleasable: boolean;
  /** Beyond these a person can't release it, unless its tool says so; null: it sends nothing out. */
  readonly limits: readonly Label[] | null;
}

const NONE: readonly never[] = Object.freeze([]);

/** What stands in the way of a call of a tool whose own clearances count; null where nothing does. */
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

/** What a call sends whose arguments say where to, or what the user named. */
export function flowOf(asking: DecisionContext, tool: Tool): Flow {
  const { policy, state } = asking;
  const { unasked, releasable } = sinkOfCall(asking, tool);
  const sink = new Sink(state.lattice, unasked ?? NONE, policy.names);
  const isBlocked = unasked !== null && !sink.receives(state.label);
  const isReleasable = isBlocked && (tool.onViolation === "ask" || mayReceive(state, releasable));
  return { sink, clearances: unasked ?? NONE, isBlocked, isReleasable, limits: releasable };
}

type Held = Pick<SessionState, "lattice" | "label">;

/** Whether the label that the session has now may go to one of these; null: to whatever it is. */
const mayReceive = ({ lattice, label }: Held, clearances: readonly Label[] | null): boolean =>
  clearances?.some((clearance) => flowsTo(lattice, label, clearance)) ?? true;

/** Whether what the session holds now may go to the tool, where that doesn't depend on a call's recipients. */
export const isWithin = (held: Held, tool: Tool): boolean =>
  tool.to !== null || mayReceive(held, tool.clearances);

/** Whether a tool is out of reach at the label that the session has now, even for a person who would release it. */
export const isBlocked = (held: Held, tool: Tool): boolean =>
  tool.onViolation === "deny" && !isWithin(held, tool);

/** Whether a tool may receive what the session holds at no call any more: a session's label only rises. */
export const isShutForGood = (policy: Policy, held: Held, tool: Tool): boolean =>
  isBlocked(held, tool) && !isDecidedByArguments(policy, tool);

/** Whether a call's arguments say what may be sent: its recipients, or whom the user named. */
const isDecidedByArguments = ({ endorsement }: Policy, tool: Tool): boolean =>
  tool.to !== null || (endorsement.named !== null && tool.critical.length > 0);

export function blockedFlow(
  asking: DecisionContext,
  tool: Tool,
  { sink, clearances, isReleasable }: Flow,
): Reason {
  const { label, contributions, tools } = asking.state;
  const seesAll = tools === null && asking.facts.visible === undefined;
  const { causes, more } = seesAll
    ? sink.causesIn(contributions)
    : sink.findCauses(contributions, (id) => isHidden(asking, id));
  const blocked = { code: "flow-blocked", tool: tool.name, ...sink.cut(label), clearances, causes } as const;
  const reason = more === 0 ? blocked : { ...blocked, moreCauses: more };
  if (isReleasable) return { ...reason, releasable: true };
  return isDecidedByArguments(asking.policy, tool) ? { ...reason, byArguments: true } : reason;
}
