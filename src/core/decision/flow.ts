/** What a call would send out, against what it may: the session's label and the clearances of the call's recipients. */

import { sinkOfCall } from "../endorsement/call-sink.ts";
import { flowsTo, type Label } from "../label/label.ts";
import { Sink } from "../label/sink.ts";
import type { SessionState } from "../state/state.ts";
import type { Tool } from "../tools/tool.ts";
import { type DecisionContext, isHidden } from "./decision-context.ts";
import type { Reason } from "./reason.ts";

export interface Flow {
  readonly sink: Sink | null;
  readonly clearances: readonly Label[];
  /** The session's label may not go there unasked. */
  readonly isBlocked: boolean;
  /** And a person may release it. */
  readonly isReleasable: boolean;
  /** Beyond these a person can't release it, unless its tool says so; null: it sends nothing out. */
  readonly limits: readonly Label[] | null;
}

const NONE: readonly never[] = Object.freeze([]);
const NO_FLOW: Flow = Object.freeze({
  sink: null,
  clearances: NONE,
  isBlocked: false,
  isReleasable: false,
  limits: null,
});

/** `compiled` is the tool's own sink. */
export function flowOf(asking: DecisionContext, tool: Tool, compiled: Sink | null): Flow {
  const { policy, state } = asking;
  const { unasked, releasable } = sinkOfCall(asking, tool);
  if (unasked === null) return NO_FLOW;
  const isCompiled = unasked === tool.clearances && state.lattice === policy.lattice && compiled !== null;
  const sink = isCompiled ? compiled : new Sink(state.lattice, unasked, policy.names);
  const isBlocked = !sink.receives(state.label);
  const isReleasable = isBlocked && (tool.onViolation === "ask" || mayReceive(state, releasable));
  return { sink, clearances: unasked, isBlocked, isReleasable, limits: releasable };
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

export function blockedFlow(
  asking: DecisionContext,
  tool: Tool,
  { sink, clearances, isReleasable }: Flow,
): Reason {
  const { label, contributions, tools } = asking.state;
  const seesAll = tools === null && asking.facts.visible === undefined;
  const found = seesAll
    ? sink?.causesIn(contributions)
    : sink?.findCauses(contributions, (id) => isHidden(asking, id));
  const { causes, more } = found ?? { causes: NONE, more: 0 };
  const held = sink?.cut(label) ?? { label };
  const blocked = { code: "flow-blocked", tool: tool.name, ...held, clearances, causes } as const;
  const reason = more === 0 ? blocked : { ...blocked, moreCauses: more };
  return isReleasable ? { ...reason, releasable: true } : reason;
}
