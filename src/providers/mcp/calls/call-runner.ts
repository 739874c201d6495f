/** Runs calls on the present connection, a limited number at a time, each in limited time. */
import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { SluicegateError } from "../../../errors/index.ts";
import type { JsonObject } from "../../../json/json-object.ts";
import type { ExchangeOptions, OfferProvider, ToolProvider } from "../../../runtime/index.ts";
import { ownerOf } from "../../../threads/index.ts";
import type { UpstreamLimits } from "../limits.ts";
import type { CleanText } from "../transport/clean-text.ts";
import type { Connection } from "../transport/connection.ts";
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
import type { RequestOptions } from "./requests.ts";
import type { Schedule } from "./schedule.ts";
import { asksQuestion, toAnswer } from "./tool-result.ts";

export interface CallRunnerOptions {
  readonly server: string;
  readonly limits: UpstreamLimits;
  readonly schedule: Schedule;
  readonly clean: CleanText;
  /** The connection that offers this tool (null: any) now, or why there is none. */
  readonly connectionFor: (tool: string | null) => Connection | SluicegateError;
  /** A call failed in a way that may mean that the server has gone. */
  readonly onDoubt: () => void;
}

export interface CallRunner {
  readonly run: ToolProvider["run"];
  readonly request: OfferProvider["request"];
  /** The error of a request other than a tool call. */
  toFailure(method: string, thrown: unknown): SluicegateError;
}

/** Sends a request once a slot is free, on the connection of that moment. */
type Send = (connection: Connection, options: RequestOptions) => Promise<JsonObject>;

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { server, limits, schedule, connectionFor } = options;
  const { callMs, messageBytes, messageValues, callsInFlight, callsWaiting } = limits;
  const about = { server, callMs, messageBytes, messageValues };
  const queue = createCallQueue({ inFlight: callsInFlight, waiting: callsWaiting, schedule });

  const inTurn = async (
    tool: string,
    connect: () => Connection | SluicegateError,
    exchange: ExchangeOptions,
    send: Send,
  ) => {
    const called: CalledTool = { ...about, tool };
    callable(connect());
    const start = performance.now();
    const slot = await queue.take(callMs, exchange.signal, ownerOf(exchange));
    if (slot.kind !== "taken") {
      if (slot.kind === "full") throw queueFull(called, callsWaiting);
      throw slot.kind === "late" ? timedOut(called) : cancelled(called, exchange.signal?.reason);
    }
    try {
      exchange.assertCurrent?.();
      const timeout = Math.max(1, callMs - (performance.now() - start));
      return await sendOnce(callable(connect()), send, { called, timeout, exchange, options });
    } finally {
      slot.release();
    }
  };

  return {
    run: async (tool, args, exchange) => {
      const raw = await inTurn(
        tool,
        () => connectionFor(tool),
        exchange,
        (connection, sending) => connection.call(tool, args, sending),
      );
      const called: CalledTool = { ...about, tool };
      const answer = toAnswer(raw);
      if (answer.kind === "result") return answer.result;
      throw answer.kind === "question"
        ? asksBack(called)
        : failed(called, "Its answer is not the result of a tool.");
    },
    request: async (method, params, exchange) => {
      const raw = await inTurn(
        method,
        () => connectionFor(null),
        exchange,
        (connection, sending) => connection.request(method, params, sending),
      );
      if (asksQuestion(raw)) throw asksBack({ ...about, tool: method });
      return raw;
    },
    toFailure: (method, thrown) => toCallFailure(thrown, { ...about, tool: method }, options.clean),
  };
}

function callable(connection: Connection | SluicegateError): Connection {
  if (SluicegateError.isInstance(connection)) throw connection;
  return connection;
}

interface RunningCall {
  readonly called: CalledTool;
  readonly timeout: number;
  readonly exchange: ExchangeOptions;
  readonly options: CallRunnerOptions;
}

async function sendOnce(connection: Connection, send: Send, running: RunningCall): Promise<JsonObject> {
  const { called, timeout, exchange, options } = running;
  const { ask } = exchange;
  const { limits, schedule } = options;
  const over = new AbortController();
  const leave = (): void => over.abort(exchange.signal?.reason);
  const deadline = createDeadline({
    milliseconds: timeout,
    schedule,
    onEnd: () => over.abort(),
    ...(ask && { longestMs: timeout + limits.askMs }),
  });
  // Most calls ask nothing. A connection outlives many calls, so a signal that follows it is made for a question alone.
  let asking: AbortSignal | null = null;
  const untilOver = (): AbortSignal => (asking ??= AbortSignal.any([over.signal, connection.closed]));
  const timed = ask
    ? { ...exchange, ask: askOutsideOf(deadline, untilOver, { ...exchange, ask }) }
    : exchange;
  exchange.signal?.addEventListener("abort", leave);
  if (exchange.signal?.aborted) leave();
  try {
    return await send(connection, { timeout: NEVER_MS, signal: over.signal, exchange: timed });
  } catch (thrown) {
    if (exchange.signal?.aborted) throw cancelled(called, exchange.signal.reason);
    if (deadline.isOver || isDoubtful(thrown)) options.onDoubt();
    if (deadline.isOver) throw timedOut(called);
    if (SluicegateError.isInstance(thrown)) throw thrown;
    throw toCallFailure(thrown, called, options.clean);
  } finally {
    exchange.signal?.removeEventListener("abort", leave);
    deadline.stop();
    if (asking !== null) over.abort(new Error("The call has ended."));
  }
}

type Ask = NonNullable<ExchangeOptions["ask"]>;

/**
 * The time that a person takes to answer doesn't count. Between a question and its answer nothing is sent, so if the
 * call or its connection ends meanwhile (`over`), the wait ends too. THREAT: if the server may not be answered any
 * more, the call stays open until its time limit, whenever the client answers, so that the end reveals nothing.
 */
const askOutsideOf =
  (
    deadline: Deadline,
    untilOver: () => AbortSignal,
    { ask, mayAnswer }: ExchangeOptions & { readonly ask: Ask },
  ): Ask =>
  async (questions) => {
    const over = untilOver();
    const resume = deadline.suspend();
    const [answered] = await Promise.allSettled([Promise.race([ask(questions), untilAborted(over)])]);
    const methods = Object.values(questions).map(({ method }) => method);
    if (mayAnswer && !(await mayAnswer(methods))) return untilAborted(over);
    resume();
    if (answered.status === "rejected") throw answered.reason;
    return answered.value;
  };

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });

/** The longest time of a timer; the deadline ends the request before. */
const NEVER_MS = 2 ** 31 - 1;

/** Whether a call's failure says anything about the server beyond this call. */
function isDoubtful(thrown: unknown): boolean {
  if (ProtocolError.isInstance(thrown)) return false;
  if (!SdkError.isInstance(thrown)) return true;
  return thrown.code !== SdkErrorCode.UnsupportedResultType && thrown.code !== SdkErrorCode.InvalidResult;
}

/** A time limit that pauses while somebody else must act, such as a person. */
interface Deadline {
  /** Whether the time was over before it was stopped. */
  readonly isOver: boolean;
  /** Pauses the time limit; returns a function that resumes it. */
  suspend(): () => void;
  stop(): void;
}

interface DeadlineOptions {
  readonly milliseconds: number;
  /** The limit including pauses; left out, there is none. */
  readonly longestMs?: number;
  readonly schedule: Schedule;
  onEnd(): void;
}

function createDeadline({ milliseconds, longestMs, schedule, onEnd }: DeadlineOptions): Deadline {
  let isOver = false;
  const abort = (): void => {
    isOver = true;
    onEnd();
  };
  let left = milliseconds;
  let since = performance.now();
  let suspended = 0;
  let isStopped = false;
  let stopTimer = schedule(abort, left);
  const stopLongest = longestMs === undefined ? () => {} : schedule(abort, longestMs);
  return {
    get isOver() {
      return isOver;
    },
    suspend: () => {
      if (suspended === 0) {
        left = Math.max(1, left - (performance.now() - since));
        stopTimer();
      }
      suspended += 1;
      return () => {
        suspended -= 1;
        if (suspended > 0 || isStopped) return;
        since = performance.now();
        stopTimer = schedule(abort, left);
      };
    },
    stop: () => {
      isStopped = true;
      stopTimer();
      stopLongest();
    },
  };
}
