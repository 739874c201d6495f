/** Errors for calls of upstream tools without a result. They name the server and the tool, never a value. */
import {
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { SluicegateError } from "../../../errors/index.ts";
import { isJsonObject } from "../../../json/json-object.ts";
import { ChannelError } from "../transport/channel.ts";
import type { CleanText } from "../transport/clean-text.ts";
import { type AnswerVerdict, verdictOf } from "./answer-verdict.ts";

export interface CalledTool {
  readonly server: string;
  readonly tool: string;
  readonly callMs: number;
  readonly messageBytes: number;
  readonly messageValues: number;
}

const MAX_MESSAGE_LENGTH = 300;
const UNKNOWN_EFFECT = "Whether the call took effect is unknown.";
const CHECK_SERVER_LOG = "Try again, or look into the server's log.";

/** The server can't be called now. `reason` is a clause such as `its process ended with exit code 1`. */
export function unavailable(server: string, tool: string, reason: string): SluicegateError {
  return new SluicegateError("upstream-unavailable", `The server \`${server}\` can't be called now.`, {
    why: toSentence(reason),
    fix: "Try again in a while; the gateway keeps trying to reach it. Its operator sees more in the log.",
    details: { server, tool },
  });
}

/** Only listed tools are called, even if the server would run others. */
export function notOffered(server: string, tool: string): SluicegateError {
  return new SluicegateError(
    "upstream-failed",
    `The server \`${server}\` does not offer the tool \`${tool}\`.`,
    {
      why: "The gateway's copy of its list of tools doesn't have this one.",
      fix: "Look at the manifest for the tools that there are now.",
      details: { server, tool },
    },
  );
}

export function failed(
  called: CalledTool,
  why: string,
  fix = CHECK_SERVER_LOG,
  cause?: unknown,
  answered?: number,
): SluicegateError {
  const { server, tool } = called;
  return new SluicegateError("upstream-failed", `The server \`${server}\` failed at the tool \`${tool}\`.`, {
    why,
    fix,
    details: { server, tool, ...(answered !== undefined && { answered }) },
    ...(cause !== undefined && { cause }),
  });
}

export function cancelled(called: CalledTool, cause: unknown): SluicegateError {
  const { server, tool } = called;
  return new SluicegateError(
    "upstream-failed",
    `The call of \`${tool}\` on the server \`${server}\` was given up.`,
    {
      why: "Its caller no longer waits for the result.",
      fix: `Call it again if it is still wanted. ${UNKNOWN_EFFECT}`,
      details: { server, tool },
      cause,
    },
  );
}

export function timedOut({ server, tool, callMs }: CalledTool): SluicegateError {
  return new SluicegateError(
    "upstream-timeout",
    `The server \`${server}\` took too long for the tool \`${tool}\`.`,
    {
      why: `No result came within ${callMs} ms.`,
      fix: `${UNKNOWN_EFFECT} Ask for less at a time, or raise the limit.`,
      details: { server, tool, milliseconds: callMs },
    },
  );
}

export function queueFull({ server, tool }: CalledTool, waiting: number): SluicegateError {
  return new SluicegateError("limit-reached", `Too many calls wait for the server \`${server}\`.`, {
    why: `${waiting} calls wait for it already, and the maximum is running.`,
    fix: "Try again when some of them are done, or raise the limit.",
    details: { server, tool },
  });
}

/** The error for what was thrown during a call. */
export function toCallFailure(thrown: unknown, called: CalledTool, clean: CleanText): SluicegateError {
  const verdict = verdictOf(thrown);
  if (verdict !== null) return verdictFailures[verdict](called);
  if (ProtocolError.isInstance(thrown)) {
    if (thrown.code === ProtocolErrorCode.MissingRequiredClientCapability)
      return clientUnable(called, thrown);
    // The message is the upstream's; the call's label covers it.
    const message = clean(thrown.message, MAX_MESSAGE_LENGTH);
    const why = `It answered with the error ${thrown.code}: ${message === "" ? "(no message)" : message}`;
    return failed(called, why, CHECK_SERVER_LOG, undefined, thrown.code);
  }
  if (SdkHttpError.isInstance(thrown))
    return failed(called, `It answered with HTTP status ${thrown.status}.`);
  if (SdkError.isInstance(thrown)) return toSdkFailure(thrown, called);
  if (wasNeverSent(thrown)) return unavailable(called.server, called.tool, reasonOf(thrown));
  return failed(called, `${toSentence(reasonOf(thrown))} ${UNKNOWN_EFFECT}`);
}

/** Whether the call certainly never reached its server, so that it may be repeated. */
function wasNeverSent(thrown: unknown): boolean {
  if (thrown instanceof ChannelError) return true;
  return UNREACHED.has(errorCodeOf(thrown) ?? "");
}

const UNREACHED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const verdictFailures: Readonly<Record<AnswerVerdict, (called: CalledTool) => SluicegateError>> = {
  "too-large": ({ server, tool, messageBytes, messageValues }) =>
    new SluicegateError("result-too-large", `The result of \`${tool}\` is too large.`, {
      why: `The server \`${server}\` sent more than ${messageBytes} bytes or ${messageValues} values, or a member name of more than 16,000. A different member name counts as twelve values.`,
      fix: "Ask for less at a time; a large table fits as one text. The call itself was run.",
      details: { server, tool, bytes: messageBytes },
    }),
  "too-deep": (called) => failed(called, `Its answer is nested too deep to be read. ${UNKNOWN_EFFECT}`),
  malformed: (called) => failed(called, `Its answer is not a valid one. ${UNKNOWN_EFFECT}`),
  "broken-off": (called) => failed(called, `It broke off before its answer was complete. ${UNKNOWN_EFFECT}`),
};

function toSdkFailure(thrown: SdkError, called: CalledTool): SluicegateError {
  switch (thrown.code) {
    case SdkErrorCode.RequestTimeout:
      return timedOut(called);
    case SdkErrorCode.ConnectionClosed:
      return failed(called, `The connection ended while it ran. ${UNKNOWN_EFFECT}`);
    case SdkErrorCode.UnsupportedResultType:
      return asksBack(called);
    default:
      return failed(called, `Its answer is not a valid one. ${UNKNOWN_EFFECT}`);
  }
}

/** The server wants to ask something that the session's client can't answer. */
function clientUnable({ server, tool }: CalledTool, { data }: ProtocolError): SluicegateError {
  const needed =
    isJsonObject(data) && isJsonObject(data.requiredCapabilities) ? data.requiredCapabilities : {};
  const capability = Object.fromEntries(
    QUESTION_KINDS.filter((kind) => kind in needed).map((kind) => [kind, {}]),
  );
  return new SluicegateError("client-unable", "The client can't answer the server's question.", {
    why: `The server \`${server}\` needs to ask something for \`${tool}\`, which the client declared no capability for.`,
    fix: "Use a client that can, or call the tool with all that it needs.",
    details: { server, tool, capability },
  });
}

const QUESTION_KINDS = ["elicitation", "sampling", "roots"] as const;

export const asksBack = (called: CalledTool): SluicegateError =>
  failed(
    called,
    "It asked a question instead of giving a result, and nobody here can answer it.",
    "Give it all that it needs in the arguments, or use a client that can answer a server's questions.",
  );

/**
 * Why a server can't be reached, as a clause. THREAT: every session sees it, whatever its label. So it contains no
 * text of the server, and only well-known numbers.
 */
export function reasonOf(thrown: unknown): string {
  const verdict = verdictOf(thrown);
  if (verdict !== null) return VERDICT_CLAUSES[verdict];
  if (ProtocolError.isInstance(thrown))
    return COMMON_ERRORS.has(thrown.code)
      ? `it answered with the error ${thrown.code}`
      : "it answered with an error";
  if (SdkHttpError.isInstance(thrown))
    return COMMON_STATUSES.has(thrown.status ?? 0)
      ? `it answered with HTTP status ${thrown.status}`
      : "it answered with an HTTP error";
  if (SdkError.isInstance(thrown) && thrown.code === SdkErrorCode.RequestTimeout)
    return "it did not answer in time";
  if (thrown instanceof ChannelError) return thrown.message;
  const code = errorCodeOf(thrown);
  if (code !== null)
    return UNREACHED.has(code)
      ? `it could not be reached (${code})`
      : `it broke off the connection (${code})`;
  return describeOther(thrown);
}

const VERDICT_CLAUSES: Readonly<Record<AnswerVerdict, string>> = {
  "too-large": "its answer is too large",
  "too-deep": "its answer is nested too deep to be read",
  malformed: "its answer is not a valid one",
  "broken-off": "it broke off before its answer was complete",
};

const COMMON_ERRORS: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603]);
const COMMON_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 406, 429, 500, 502, 503, 504]);

function describeOther(thrown: unknown): string {
  if (InsufficientScopeError.isInstance(thrown)) return "it asks for a scope that its sign-in did not grant";
  return thrown instanceof TypeError ? "its answer broke off" : "it does not speak the protocol";
}

/** The system's or Node's code, such as ECONNREFUSED, of an error or its cause. */
function errorCodeOf(thrown: unknown): string | null {
  for (let error = thrown, step = 0; error instanceof Error && step < 5; error = error.cause, step += 1) {
    if (SdkError.isInstance(error) || !("code" in error)) continue;
    if (typeof error.code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)) return error.code;
  }
  return null;
}

const toSentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
