/** What comes of a run, as plain data. */
import type { ModelMessage, StepResult, ToolSet } from "ai";
import { isRefusal } from "../adapters/ai-sdk.ts";

/**
 * What became of a call: it `ran`; its tool `failed`; the gate `refused` it; it is `waiting` for a person; the model
 * named a tool that it doesn't have, or gave arguments that the tool doesn't take, so it was `invalid`; or the run was
 * `stopped` before it ended.
 */
export type CallOutcome = "ran" | "failed" | "refused" | "waiting" | "invalid" | "stopped";

export interface PlannerCall {
  /** The model's own id of the call. */
  readonly id: string;
  readonly tool: string;
  readonly outcome: CallOutcome;
}

/** One answer of the model, and the calls that it made. */
export interface PlannerStep {
  readonly text: string;
  readonly calls: readonly PlannerCall[];
  readonly tokens: number;
}

/** Why a run ended before its model was done. */
export type StopReason = "aborted" | "steps" | "tokens" | "model";

/** What came of a run. Plain data. */
export interface PlannerResult {
  readonly status: "done" | "paused" | "impossible" | "stopped";
  /** The model's last words; where the task can't be done, its reason. */
  readonly text: string;
  /** The session's id. */
  readonly session: string;
  /** The model's answers of this run, and of a resumed one first the calls that had waited. */
  readonly steps: readonly PlannerStep[];
  /** Tokens that the run has used so far, before its pauses too. */
  readonly tokens: number;
  /** The conversation, to be given to the next run of it; private like all that the session has read. */
  readonly messages: readonly ModelMessage[];
  /** Where it was stopped: why. */
  readonly stopped?: StopReason;
  /** Where it is paused: what resumes it, once. */
  readonly token?: string;
  /** Where it is paused: until when (RFC 3339). */
  readonly expiresAt?: string;
  /** Where it is paused: the first approval that it waits for, of a call or of a whole plan. */
  readonly approval?: string;
  /** Where it is paused: all of its calls that wait, each with its approval. */
  readonly waiting?: readonly { readonly tool: string; readonly approval: string }[];
}

export type Ended = { readonly output: unknown } | { readonly error: unknown };

/** A step with what became of its calls. */
export function toStep(step: StepResult<ToolSet>, ended: ReadonlyMap<string, Ended>): PlannerStep {
  const waits = new Set(
    step.content.flatMap((part) => (part.type === "tool-approval-request" ? [part.toolCall.toolCallId] : [])),
  );
  const outcomeOf = (id: string): CallOutcome => {
    const known = ended.get(id);
    if (known !== undefined) return toOutcome(known);
    return waits.has(id) ? "waiting" : "stopped";
  };
  return {
    text: step.text,
    tokens: step.usage.totalTokens ?? 0,
    calls: step.toolCalls.map((call) => ({
      id: call.toolCallId,
      tool: call.toolName,
      outcome: call.invalid ? "invalid" : outcomeOf(call.toolCallId),
    })),
  };
}

export function toOutcome(ended: Ended): CallOutcome {
  if ("error" in ended) return "failed";
  return isRefusal(ended.output) ? "refused" : "ran";
}

/** Whether a person's no came of a call. */
export const isDeniedByPerson = (ended: Ended): boolean =>
  "output" in ended &&
  isRefusal(ended.output) &&
  ended.output.reasons.some(({ code }) => code === "approval-denied");
