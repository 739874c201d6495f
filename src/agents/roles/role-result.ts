/** The result of a role agent's run, as plain data: how it ended and, if it failed, why. */
import type { ModelMessage } from "ai";
import { listNames, quoteName } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { MAX_REASON_LENGTH } from "../../runtime/index.ts";
import type { PlannerResult, StopReason } from "../planner-result.ts";

/**
 * How a run ended: `done`; `paused` for a person; `impossible`: the model reported that the task can't be done;
 * `stopped` by a budget or the caller; `failed`: the model failed, or the run couldn't start.
 */
export type RoleStatus = PlannerResult["status"] | "failed";

/** A call that didn't run. */
export interface RefusedCall {
  /** As the model named it. */
  readonly tool: string;
  /** The gate's own sentence. */
  readonly why: string;
}

/** A run that waits for a person: everything that `resume` needs. Plain data; the token works once. */
export interface RolePause {
  /** The name of the paused agent; no other can continue its run. */
  readonly agent: string;
  readonly session: string;
  readonly token: string;
  /** Until when it can be resumed (RFC 3339). */
  readonly expiresAt: string;
  /** The waiting calls, each with its approval. */
  readonly waiting: readonly { readonly tool: string; readonly approval: string }[];
  /** The hashes (SHA-256, hex) of files before the run changed them, by path; null for none. */
  readonly before: Readonly<Record<string, string | null>>;
  /** Whether it has changed something before the pause. */
  readonly wrote: boolean;
}

/** The common result of every role agent. */
export interface RoleResult {
  /** Whether it did its job, as far as that can be checked without trusting the model. */
  readonly success: boolean;
  readonly status: RoleStatus;
  /** Why it isn't a success; left out if it is. */
  readonly error?: string;
  /** The model's final text, truncated. */
  readonly text: string;
  /** Calls that the gate refused, and calls of tools that the role doesn't have. */
  readonly refused: readonly RefusedCall[];
  /** Files whose content has changed, relative to the working directory. */
  readonly filesModified: readonly string[];
  /** Its session; null if it didn't start. */
  readonly session: string | null;
  readonly tokens: number;
  /** If it is paused: what resumes it. */
  readonly pause?: RolePause;
}

const MAX_TEXT_LENGTH = 100_000;

/** A planner's result as a role's. */
export function toRoleResult(
  role: string,
  result: PlannerResult,
  seen: Pick<RoleResult, "filesModified"> & Pick<RolePause, "before" | "wrote">,
): RoleResult {
  const { status, session, tokens } = result;
  const refused = refusedIn(result, role);
  const error = whyNot(role, result, refused);
  return {
    success: error === null,
    status,
    ...(error !== null && { error }),
    text: cut(result.text, MAX_TEXT_LENGTH),
    refused,
    filesModified: seen.filesModified,
    session,
    tokens,
    ...(status === "paused" && { pause: toPause(role, result, seen) }),
  };
}

/** A run that ended with an error of its model, or never started. */
export const toFailure = (
  error: string,
  seen: Partial<Pick<RoleResult, "session" | "filesModified">> = {},
): RoleResult => ({
  success: false,
  status: "failed",
  error,
  text: "",
  refused: [],
  filesModified: [],
  session: null,
  tokens: 0,
  ...seen,
});

/** The same as a failure, with the reason. */
export const toUnsuccessful = (result: RoleResult, error: string): RoleResult => ({
  ...result,
  success: false,
  error: result.error ?? error,
});

const toPause = (
  agent: string,
  { session, token = "", expiresAt = "", waiting = [] }: PlannerResult,
  { before, wrote }: Pick<RolePause, "before" | "wrote">,
): RolePause => ({ agent, session, token, expiresAt, waiting, before, wrote });

function whyNot(role: string, result: PlannerResult, refused: readonly RefusedCall[]): string | null {
  switch (result.status) {
    case "done":
      return null;
    case "paused": {
      const tools = listNames([...new Set((result.waiting ?? []).map(({ tool }) => tool))]);
      return `The agent \`${role}\` waits for a person's answer about ${tools}. Answer what stands in \`pause.waiting\`, and resume the run.`;
    }
    case "impossible":
      return withRefusals(
        `The agent \`${role}\` says that it can't be done: ${cut(result.text, MAX_REASON_LENGTH)}`,
        refused,
      );
    case "stopped":
      return withRefusals(STOPPED[result.stopped ?? "model"], refused);
  }
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  aborted: "The run was ended by its caller before the model was done.",
  steps:
    "The run has used up its steps before the model was done. Give it a smaller task, or more `maxSteps`.",
  tokens: "The run has used up its tokens before the model was done. Give it a smaller task, or more tokens.",
  model: "The model ended before it was done, and gave no reason that can be told.",
};

/** A sentence, with the gate's reasons for refused calls. */
export const withRefusals = (sentence: string, refused: readonly RefusedCall[]): string =>
  [sentence, ...new Set(refused.slice(-MAX_TOLD).map(({ why }) => why))].join(" ");

const MAX_TOLD = 3;

function refusedIn({ steps, messages }: PlannerResult, role: string): readonly RefusedCall[] {
  const told = toldIn(messages);
  return steps.flatMap(({ calls }) =>
    calls.flatMap(({ id, tool, outcome }) => {
      if (outcome === "refused") return [{ tool, why: told.get(id) ?? `${quoteName(tool)} was refused.` }];
      if (outcome !== "invalid") return [];
      return [
        {
          tool,
          why: `The agent \`${role}\` can't call ${quoteName(tool)} like this: it doesn't have that tool, or the tool doesn't take these arguments.`,
        },
      ];
    }),
  );
}

/** What the model was told about its calls, by id. */
function toldIn(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const parts = messages.flatMap(({ role, content }) =>
    role === "tool" ? content.filter((part) => part.type === "tool-result") : [],
  );
  return new Map(
    parts.flatMap(({ toolCallId, output }) =>
      output.type === "error-text" ? [[toolCallId, output.value] as const] : [],
    ),
  );
}

/** Truncates a text. */
export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

/** The sentence for an error of the model; null for any other error. */
export const failureOf = (cause: unknown): string | null =>
  SluicegateError.isInstance(cause) && cause.code === "upstream-failed"
    ? `${cause.message} ${cause.why} ${cause.fix}`
    : null;
