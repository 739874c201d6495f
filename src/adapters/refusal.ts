/** A call that was not run, as a value that an SDK can carry to the model: JSON, in the gate's own sentences. */
import type { RefusalClass } from "../core/index.ts";
import {
  type CallDecision,
  describeRefusal,
  type RequestedApproval,
  type WordedReason,
} from "../runtime/index.ts";

/** What stands in place of a tool's result where its call was refused, or waits for a person. */
export interface Refusal {
  readonly type: typeof REFUSAL;
  readonly effect: "ask" | "deny";
  /** What the model can do: change the call, wait for a person, or go on without it. */
  readonly class: RefusalClass;
  /** What the model is told. It names tools and labels, and never an argument or a result. */
  readonly message: string;
  readonly reasons: readonly WordedReason[];
  /** What the call waits for; null if it was denied. */
  readonly approval: RequestedApproval | null;
}

const REFUSAL = "sluicegate-refusal";

/** Whether a tool's result is a refusal, and nothing that the tool said. */
export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  value.type === REFUSAL &&
  "message" in value;

export function toRefusal(
  decision: Pick<CallDecision, "effect" | "class" | "reasons" | "repeated" | "approval">,
): Refusal {
  const { effect, class: refusal = "never", reasons, approval } = decision;
  const message = describeRefusal(decision);
  return {
    type: REFUSAL,
    effect: effect === "ask" ? "ask" : "deny",
    class: refusal,
    message,
    reasons,
    approval,
  };
}

const APPROVAL_ID = /\bappr_[0-9a-f]{32}\b/g;

/**
 * The id of the approval that an SDK paused for, out of what the SDK says of its pause; null if it is none of ours.
 * THREAT: take it from what the SDK gave to this program. What a browser or a model sent back may name another one. So
 * may a server, by what it calls its tools; but a refusal says the approval last.
 */
export const approvalIdIn = (text: string | undefined): string | null =>
  text?.match(APPROVAL_ID)?.at(-1) ?? null;
