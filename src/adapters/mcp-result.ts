/** Results of MCP tools: whether they failed, and refusals in their form. */
import { type CallDecision, describeRefusal } from "../runtime/index.ts";
import { type Refusal, toRefusal } from "./refusal.ts";

/** The key of the decision in a refused call's result. */
export const REFUSAL_META = "dev.sluicegate/refusal";

/** A refusal in the shape of a tool's result. */
export interface RefusedResult {
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
