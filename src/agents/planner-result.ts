/** The result of a run, as plain data. */
import type { ModelMessage, StepResult, ToolSet } from "ai";
import { isRefusal } from "../adapters/ai-sdk.ts";

/**
 * The outcome of a call: it `ran`; its tool `failed`; the gate `refused` it; it is `waiting` for a person; it was
 * `invalid`, because the tool doesn't exist or doesn't take its arguments; or the run was `stopped` before it ended.
 */
export type CallOutcome = "ran" | "failed" | "refused" | "waiting" | "invalid" | "stopped";

export interface PlannerCall {
  /** The model's own id of the call. */
  readonly id: string;
  readonly tool: string;
  readonly outcome: CallOutcome;
}

/** One answer of the model, with its calls. */
export interface PlannerStep {
  readonly text: string;
  readonly calls: readonly PlannerCall[];
  readonly tokens: number;
}

/** Why a run ended before its model had finished. */
export type StopReason = "aborted" | "steps" | "tokens" | "model";

/** What came of a run. Plain data. */
export interface PlannerResult {
  readonly status: "done" | "paused" | "impossible" | "stopped";
  /** The model's final text, or its reason why the task can't be done. */
  readonly text: string;
  /** The session's id. */
  readonly session: string;
  /** The model's answers of this run; in a resumed run, first the calls that had waited. */
  readonly steps: readonly PlannerStep[];
  /** Tokens that the run has used so far, including before its pauses. */
  readonly tokens: number;
  /** The conversation, for the next run; private like everything that the session has read. */
  readonly messages: readonly ModelMessage[];
  /** Why it was stopped. */
  readonly stopped?: StopReason;
  /** If it is paused: the token that resumes it, once. */
  readonly token?: string;
  /** If it is paused: until when (RFC 3339). */
  readonly expiresAt?: string;
  /** If it is paused: the first pending approval, of a call or of a whole plan. */
  readonly approval?: string;
  /** If it is paused: all of its waiting calls, each with its approval. */
  readonly waiting?: readonly { readonly tool: string; readonly approval: string }[];
}

export type Ended = { readonly output: unknown } | { readonly error: unknown };

/** A step with the outcomes of its calls. */
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

/** Whether a person denied the call. */
export const isDeniedByPerson = (ended: Ended): boolean =>
  "output" in ended &&
  isRefusal(ended.output) &&
  ended.output.reasons.some(({ code }) => code === "approval-denied");
