/** A call that wasn't run, as a value for the model: JSON in the gate's own sentences, or a result of MCP. */
import type { RefusalClass } from "../core/index.ts";
import {
  type CallDecision,
  describeRefusal,
  type RequestedApproval,
  type WordedReason,
} from "../runtime/index.ts";

/** Replaces a tool's result if its call was refused, or waits for a person. */
export interface Refusal {
  readonly type: typeof REFUSAL;
  readonly effect: "ask" | "deny";
  /** What the model can do: change the call, wait for a person, or continue without it. */
  readonly class: RefusalClass;
  /** The message for the model. It names tools and labels, and never an argument or a result. */
  readonly message: string;
  readonly reasons: readonly WordedReason[];
  /** The pending approval; null if the call was denied. */
  readonly approval: RequestedApproval | null;
}

const REFUSAL = "sluicegate-refusal";

/** Whether a tool's result is a refusal, not the tool's own output. */
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
 * The id of the approval for which an SDK paused, from the SDK's reason; null for other pauses. THREAT: use what the
 * SDK passed to this program. A browser or a model may return another id. So may a server, in the name of a tool; but
 * a refusal names the approval last.
 */
export const approvalIdIn = (text: string | undefined): string | null =>
  text?.match(APPROVAL_ID)?.at(-1) ?? null;

/** The key of the decision in a refused call's result. */
export const REFUSAL_META = "dev.sluicegate/refusal";

/** A refusal in the shape of a tool's result. */
interface RefusedResult {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly isError: true;
  readonly _meta: Readonly<Record<typeof REFUSAL_META, Refusal>>;
}

export const toRefusedResult = (
  decision: Pick<CallDecision, "effect" | "class" | "reasons" | "repeated" | "approval">,
): RefusedResult => ({
  content: [{ type: "text", text: describeRefusal(decision) }],
  isError: true,
  _meta: { [REFUSAL_META]: toRefusal(decision) },
});

/** Whether a tool's result says that it failed. */
export const isFailure = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "isError" in result && result.isError === true;
