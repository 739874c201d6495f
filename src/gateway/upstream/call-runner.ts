/** Runs calls on whatever connection there is at the moment, a bounded number at a time and each in bounded time. */
import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { SluicegateError } from "../../errors/index.ts";
import type { ToolProvider, ToolResult } from "../../session/index.ts";
import {
  asksBack,
  type CalledTool,
  cancelled,
  failed,
  queueFull,
  timedOut,
  toCallFailure,
} from "./call-failure.ts";
import { createCallQueue } from "./call-queue.ts";
import type { CleanText } from "./clean-text.ts";
import type { Connection } from "./connection.ts";
import type { JsonObject } from "./json-object.ts";
import type { UpstreamLimits } from "./limits.ts";
import type { Schedule } from "./schedule.ts";
import { toAnswer } from "./tool-result.ts";

export interface CallRunnerOptions {
  readonly server: string;
  readonly limits: UpstreamLimits;
  readonly schedule: Schedule;
  readonly clean: CleanText;
  /** The connection that offers this tool now, or why there is none. */
  readonly connectionFor: (tool: string) => Connection | SluicegateError;
  /** A call failed in a way that may mean that the server is gone. */
  readonly onDoubt: () => void;
}

export function createCallRunner(options: CallRunnerOptions): ToolProvider["run"] {
  const { server, limits, schedule, connectionFor } = options;
  const { callMs, resultBytes, callsInFlight, callsWaiting } = limits;
  const queue = createCallQueue({ inFlight: callsInFlight, waiting: callsWaiting, schedule });

  return async (tool, args, { signal }) => {
    const called: CalledTool = { server, tool, callMs, resultBytes };
    callable(connectionFor(tool));
    const start = performance.now();
    const slot = await queue.take(callMs, signal);
    if (slot.kind !== "taken") {
      if (slot.kind === "full") throw queueFull(called, callsWaiting);
      throw slot.kind === "late" ? timedOut(called) : cancelled(called, signal?.reason);
    }
    try {
      const timeout = Math.max(1, callMs - (performance.now() - start));
      return await callOnce(callable(connectionFor(tool)), args, { called, timeout, signal, options });
    } finally {
      slot.release();
    }
  };
}

function callable(connection: Connection | SluicegateError): Connection {
  if (SluicegateError.isInstance(connection)) throw connection;
  return connection;
}

interface RunningCall {
  readonly called: CalledTool;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly options: CallRunnerOptions;
}

async function callOnce(connection: Connection, args: JsonObject, running: RunningCall): Promise<ToolResult> {
  const { called, timeout, signal, options } = running;
  let raw: JsonObject;
  try {
    raw = await connection.call(called.tool, args, { timeout, signal });
  } catch (thrown) {
    if (signal?.aborted) throw cancelled(called, signal.reason);
    if (isDoubtful(thrown)) options.onDoubt();
    throw toCallFailure(thrown, called, options.clean);
  }
  const answer = toAnswer(raw);
  if (answer.kind === "result") return answer.result;
  throw answer.kind === "question"
    ? asksBack(called)
    : failed(called, "Its answer is not the result of a tool.");
}

/** Whether a call's failure says anything about the server beyond this call. */
function isDoubtful(thrown: unknown): boolean {
  if (ProtocolError.isInstance(thrown)) return false;
  if (!SdkError.isInstance(thrown)) return true;
  return thrown.code !== SdkErrorCode.UnsupportedResultType && thrown.code !== SdkErrorCode.InvalidResult;
}
