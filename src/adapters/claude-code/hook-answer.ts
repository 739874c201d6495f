/** The answers of a hook to Claude Code, on standard output. */
import { SluicegateError } from "../../errors/index.ts";
import { type HookEvent, PROMPT_EVENT, type PromptEvent } from "./hook-event.ts";

/** The verdict on a call before it runs. */
export interface HookVerdict {
  /**
   * `defer` ends the run, so that its host can decide and resume; `pass` gives no verdict: the agent's own rules
   * decide.
   */
  readonly decision: "allow" | "deny" | "ask" | "defer" | "pass";
  /** For the model after a denial, for the person with a question. */
  readonly reason?: string;
  /** Only for the person; the model doesn't see it. */
  readonly notice?: string;
}

/** A hook's answer: the document that it prints, or what a callback returns. Empty for no answer. */
export interface HookAnswer {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly systemMessage?: string;
  /** The prompt never reaches the model. */
  readonly decision?: "block";
  /** Why, for the person. */
  readonly reason?: string;
  readonly hookSpecificOutput?:
    | {
        readonly hookEventName: "PreToolUse";
        readonly permissionDecision: "allow" | "deny" | "ask" | "defer";
        readonly permissionDecisionReason?: string;
      }
    | { readonly hookEventName: "PostToolUse"; readonly updatedToolOutput: unknown };
}

/** The answer before a call. */
export function toPermissionAnswer({ decision, reason, notice }: HookVerdict): HookAnswer {
  if (decision === "pass") return {};
  return {
    ...(notice !== undefined && { systemMessage: notice }),
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: decision,
      ...(reason !== undefined && { permissionDecisionReason: reason }),
    },
  };
}

/** The answer after a call: empty, or with a message for the person. */
export const toQuietAnswer = (systemMessage?: string): HookAnswer =>
  systemMessage === undefined ? {} : { systemMessage };

/**
 * The answer after a call whose result the model must not get: the run ends, and the result is replaced. A
 * replacement in another shape than the tool's own would be ignored, and the result shown.
 */
export const toStopAnswer = (
  { name, response }: Pick<HookEvent, "name" | "response">,
  why: string,
): HookAnswer => ({
  continue: false,
  stopReason: why,
  ...(name === "PostToolUse" &&
    response !== undefined && {
      hookSpecificOutput: { hookEventName: name, updatedToolOutput: withheld(response, "", 0) },
    }),
});

const WITHHELD = "[withheld by Sluicegate]";
/** Values of these keys describe a result's shape; they are the agent's own. */
const SHAPE = new Set(["type", "mode", "status", "media_type"]);

/** No agent's tool nests its shape deeper. */
const MAX_DEPTH = 100;

/** The same value without its texts, and without what is too deep. */
function withheld(value: unknown, key: string, depth: number): unknown {
  if (typeof value === "string") return SHAPE.has(key) ? value : WITHHELD;
  if (typeof value !== "object" || value === null) return value;
  // THREAT: a result may be nested so deep that walking it fails, and then the result would be shown.
  if (depth >= MAX_DEPTH) return WITHHELD;
  if (Array.isArray(value)) return value.map((item) => withheld(item, key, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withheld(inner, name, depth + 1)]),
  );
}

export const toBlockAnswer = (reason: string): HookAnswer => ({ decision: "block", reason });

/** The answer if nothing could be decided. */
export function answerFailure(
  event: Pick<HookEvent, "name" | "response"> | PromptEvent,
  cause: unknown,
): HookAnswer {
  const reason = sentencesOf(cause);
  if (event.name === PROMPT_EVENT) return toBlockAnswer(reason);
  return event.name === "PreToolUse"
    ? toPermissionAnswer({ decision: "deny", reason })
    : toStopAnswer(event, reason);
}

/** Why nothing could be decided, for a model. */
export function sentencesOf(cause: unknown): string {
  if (SluicegateError.isInstance(cause)) return `${UNDECIDED} ${cause.message} ${cause.why} ${cause.fix}`;
  return `${UNDECIDED} Something went wrong inside it. Tell the operator; nothing was allowed.`;
}

const UNDECIDED = "Sluicegate could not decide this call.";
