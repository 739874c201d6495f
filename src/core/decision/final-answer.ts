/** Whether a session's final answer may be given: the session's label against the role's clearance. */

import type { Lattice } from "../label/label.ts";
import { Sink } from "../label/sink.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import { isHidden, toDecisionContext } from "./decision-context.ts";
import { type Blocked, describeCauses, describeClearances, explain } from "./explain.ts";
import { quoteName } from "./quote-name.ts";
import type { Cause } from "./reason.ts";

/** Why a final answer may not be given. */
export interface AnswerReason {
  readonly code: "session-closed" | "answer-blocked";
  /** What happened, why, and what to do. */
  readonly message: string;
  /** The sources of the data that block it: the first eight. */
  readonly causes: readonly Cause[];
}

export interface AnswerDecision {
  readonly effect: "allow" | "deny";
  readonly reasons: readonly AnswerReason[];
}

const ALLOWED: AnswerDecision = Object.freeze({ effect: "allow", reasons: Object.freeze([]) });
const NONE: readonly never[] = Object.freeze([]);

const deny = (reason: AnswerReason): AnswerDecision => ({ effect: "deny", reasons: [reason] });

/** Allowed if the session's label flows to one of its role's clearances, or if the role has none. */
export function decideAnswer(policy: Policy, state: SessionState): AnswerDecision {
  const { lattice } = policy;
  if (state.closed) {
    const message = explain(lattice, { code: "session-closed" });
    return deny({ code: "session-closed", message, causes: NONE });
  }
  const context = toDecisionContext(policy, state, {});
  const clearances = context.role?.clearances ?? null;
  if (clearances === null) return ALLOWED;
  const sink = new Sink(state.lattice, clearances, policy.names);
  if (sink.receives(state.label)) return ALLOWED;
  const { causes, more } = sink.findCauses(state.contributions, (id) => isHidden(context, id));
  const blocked = { ...sink.cut(state.label), clearances, causes, ...(more > 0 && { moreCauses: more }) };
  const message = explainAnswer(lattice, state.role ?? "", blocked);
  return deny({ code: "answer-blocked", message, causes });
}

const explainAnswer = (lattice: Lattice, role: string, blocked: Blocked): string =>
  `This session's final answer may not be given. ${describeCauses(lattice, blocked)}, and an answer of the role ${quoteName(role)} may hold ${describeClearances(lattice, blocked.clearances)}. Give that part of the task to a session of its own, or ask the operator.`;
