/** What an MCP tool gives back: whether it failed, and how a refusal stands in its place. */
import { type CallDecision, describeRefusal } from "../runtime/index.ts";
import { type Refusal, toRefusal } from "./refusal.ts";

/** Where the result of a refused call says what was decided. */
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

/** Whether a tool says in its result that it failed. */
export const isFailure = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "isError" in result && result.isError === true;
