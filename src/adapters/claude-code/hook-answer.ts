/** What Claude Code is told by a hook on standard output. */
import { SluicegateError } from "../../errors/index.ts";
import { type HookEvent, PROMPT_EVENT, type PromptEvent } from "./hook-event.ts";

/** What is said to a call before it runs. */
export interface HookVerdict {
  /** `defer` ends the run, for its host to decide and resume; `pass` says nothing: the agent's own rules decide. */
  readonly decision: "allow" | "deny" | "ask" | "defer" | "pass";
  /** For the model where it is denied, for the person where they are asked. */
  readonly reason?: string;
  /** For the person alone; the model doesn't see it. */
  readonly notice?: string;
}

/** What a hook answers: the document that it prints, or what a callback gives. Empty, it says nothing. */
export interface HookAnswer {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly systemMessage?: string;
  /** A prompt that its model never gets. */
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

/** The answer after a call of which there is nothing to say, or a word for the person alone. */
export const toQuietAnswer = (systemMessage?: string): HookAnswer =>
  systemMessage === undefined ? {} : { systemMessage };

/**
 * The answer after a call whose result the model must not have: the run ends, and what a later one would find in its
 * place says so. An answer in another shape than the tool's own would be put aside, and the result shown.
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
/** Words by which a result's shape is told; they are the agent's own. */
const SHAPE = new Set(["type", "mode", "status", "media_type"]);

/** Deeper, no agent's tool has a shape of its own. */
const MAX_DEPTH = 100;

/** The same value with its texts gone, and what is too deep gone with them. */
function withheld(value: unknown, key: string, depth: number): unknown {
  if (typeof value === "string") return SHAPE.has(key) ? value : WITHHELD;
  if (typeof value !== "object" || value === null) return value;
  // THREAT: a tool may nest its result so deep that a walk through it fails, and then the result would be shown.
  if (depth >= MAX_DEPTH) return WITHHELD;
  if (Array.isArray(value)) return value.map((item) => withheld(item, key, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withheld(inner, name, depth + 1)]),
  );
}

/** The answer to a prompt that must not reach the model. */
export const toBlockAnswer = (reason: string): HookAnswer => ({ decision: "block", reason });

/** What an agent is told where nothing could be decided. */
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
