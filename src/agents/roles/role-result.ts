/** What comes of a run of a role agent: plain data that says how it ended and, where it isn't done, why. */
import type { ModelMessage } from "ai";
import { listNames, quoteName } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { MAX_REASON_LENGTH } from "../../runtime/index.ts";
import type { PlannerResult, StopReason } from "../planner-result.ts";

/**
 * How a run ended: its model is `done`; it is `paused` for a person; it gave up (`impossible`); a budget or the caller
 * `stopped` it; or it `failed`, since the model did, or since there was nothing to begin with.
 */
export type RoleStatus = PlannerResult["status"] | "failed";

/** A call that was made and came to nothing. */
export interface RefusedCall {
  /** As the model named it. */
  readonly tool: string;
  /** The gate's own sentence. */
  readonly why: string;
}

/** A run that waits for a person: all that `resume` needs. Plain data; the token serves once. */
export interface RolePause {
  /** The name of the agent that is paused; no other goes on with its run. */
  readonly agent: string;
  readonly session: string;
  readonly token: string;
  /** Until when it can be resumed (RFC 3339). */
  readonly expiresAt: string;
  /** The calls that wait, each with the approval to answer. */
  readonly waiting: readonly { readonly tool: string; readonly approval: string }[];
  /** What lay in files before the run changed them: SHA-256 (hex) by path, null for nothing. */
  readonly before: Readonly<Record<string, string | null>>;
  /** Whether it has changed something by then. */
  readonly wrote: boolean;
}

/** What every role agent says of a run. */
export interface RoleResult {
  /** Whether it did what it is for, as far as this program can tell without the model's word. */
  readonly success: boolean;
  readonly status: RoleStatus;
  /** Why it isn't a success; left out where it is. */
  readonly error?: string;
  /** The model's last words, cut. */
  readonly text: string;
  /** Calls that the gate refused, and calls of tools that the role doesn't have. */
  readonly refused: readonly RefusedCall[];
  /** Files that are not as they were before, read from the files; relative to the working directory. */
  readonly filesModified: readonly string[];
  /** The session that it ran in; null where it didn't begin. */
  readonly session: string | null;
  readonly tokens: number;
  /** Where it is paused: what resumes it. */
  readonly pause?: RolePause;
}

const MAX_TEXT_LENGTH = 100_000;

/** What a planner's run came to, in the words of a role. */
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

/** A run that ended with an error of its model, or that never began. */
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

/** The same as no success, with why. */
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

/** A sentence, with what the gate said of refused calls. */
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

/** What the model was told about its calls, by their ids. */
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

/** A text of at most so many characters. */
export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

/** What to say of an error that the model's side threw; null for one that is somebody else's. */
export const failureOf = (cause: unknown): string | null =>
  SluicegateError.isInstance(cause) && cause.code === "upstream-failed"
    ? `${cause.message} ${cause.why} ${cause.fix}`
    : null;
