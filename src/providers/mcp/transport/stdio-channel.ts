/**
 * Messages over the standard input and output of a server's process: one line of JSON each.
 *
 * The SDK's `StdioClientTransport` isn't used. It copies all that it holds with each chunk of a long line, and ends
 * the process (and every call) if one line is too long; it adds variables to the environment; it never kills what its
 * process started; and it starts each server twice to find out its protocol.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { JsonScanner } from "../../../json/json-scanner.ts";
import { parseJson } from "../../../json/parse-json.ts";
import { memberOf, OwnerCounts } from "../../../threads/index.ts";
import { currentSender } from "../calls/exchange.ts";
import type { UpstreamLimits } from "../limits.ts";
import { type Channel, ChannelError, type ChannelEvents } from "./channel.ts";
import { createCleanText } from "./clean-text.ts";
import { toEnvironment } from "./environment.ts";
import { createLineReader, type LineSink } from "./line-reader.ts";
import { readPaced } from "./pace.ts";
import type { Log } from "./rate-limited-log.ts";
import { startProcess, type UpstreamProcess } from "./upstream-process.ts";

export interface StdioServer {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

// A line this many times as long as allowed counts as endless. A shorter one is dropped, and reading continues.
const ENDLESS_LINES = 16;
/** How long a process may continue after it has closed its output. */
const LINGER_MS = 500;
const STDERR_LINE_BYTES = 64 * 1024;

export function createStdioChannel(server: StdioServer, limits: UpstreamLimits, log: Log): Channel {
  const unread = new OwnerCounts();
  let running: UpstreamProcess | null = null;
  let ending: string | null = null;
  let isClosed = false;
  return {
    kind: "stdio",
    get ending() {
      return ending;
    },
    start: async (events) => {
      const started = await start(server, limits.closeMs);
      running = started;
      const messages = new MessagesInOrder(limits.messageBytes, log, events);
      const sink = messageSink(limits, log, { messages, events, kill: started.kill });
      const read = createLineReader(limits.messageBytes, sink, limits.messageValues);
      const whole = readPaced(started.stdout, read, { busy: () => messages.backlog });
      readPaced(started.stderr, createLineReader(STDERR_LINE_BYTES, stderrSink(server, limits, log)));
      // No more answers can come, even if the process continues.
      let lingering: NodeJS.Timeout | undefined;
      started.stdout.once("end", () => {
        lingering = setTimeout(() => {
          ending = "closed its output";
          started.kill();
        }, LINGER_MS);
      });
      void started.ended.then(async ({ exact, common }) => {
        clearTimeout(lingering);
        if (!isClosed && exact !== common) log(`its process ${exact}`);
        if (!isClosed) ending ??= common;
        // It may have answered before it ended.
        if (!isClosed) await whole().then(() => messages.read);
        events.closed();
      });
      if (isClosed) await started.stop();
    },
    send: async (message) => {
      if (!running?.stdin.writable) throw new ChannelError("its process has ended");
      const member = memberOf(currentSender());
      // INVARIANT: what waits to be read is limited; a server that doesn't read is noticed by missing answers.
      if (!unread.hasRoom(member, limits.backlogBytes)) throw new ChannelError("it does not read its input");
      const line = Buffer.from(`${toLine(message)}\n`);
      unread.add(member, line.length);
      running.stdin.write(line, () => unread.add(member, -line.length));
    },
    close: async () => {
      isClosed = true;
      await running?.stop();
    },
  };
}

/** THREAT: a reader of lines, such as Node's `readline`, ends one at these separators too. */
const toLine = (message: JSONRPCMessage): string =>
  JSON.stringify(message).replace(/[\u2028\u2029]/g, (end) => (end === "\u2028" ? "\\u2028" : "\\u2029"));

async function start({ command, args, env, cwd }: StdioServer, closeMs: number): Promise<UpstreamProcess> {
  try {
    return await startProcess({ command, args, env: toEnvironment(env), cwd, closeMs });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : "unknown";
    const why =
      code === "ENOENT"
        ? "its command or its working directory does not exist"
        : `its command could not be started (${code})`;
    throw new ChannelError(why, { cause });
  }
}

/** Values passed to a stdio server that may be secret. */
export const secretsOf = (server: StdioServer): readonly string[] => Object.values(server.env);

/** Bytes of a line that has a turn of its own, and of one that has one for each step. */
const LARGE_LINE = 128 * 1024;
const VERY_LARGE_LINE = 1024 * 1024;

/** Reads messages in their order: a large one in turns of its own, for which those behind it wait. */
class MessagesInOrder {
  /** Resolves when those that wait now are read. */
  read: Promise<void> = Promise.resolve();
  readonly #maxBytes: number;
  readonly #log: Log;
  readonly #events: ChannelEvents;
  readonly #waiting: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, log: Log, events: ChannelEvents) {
    this.#maxBytes = maxBytes;
    this.#log = log;
    this.#events = events;
  }

  /** What to wait for where too many bytes wait to be read; null where more may come. */
  get backlog(): Promise<void> | null {
    return this.#bytes > this.#maxBytes ? this.read : null;
  }

  take(line: Buffer): void {
    if (this.#waiting.length === 0 && line.length <= LARGE_LINE) {
      this.#hand(parse(line.toString()));
      return;
    }
    this.#bytes += line.length;
    if (this.#waiting.push(line) === 1) this.read = this.#readWaiting();
  }

  async #readWaiting(): Promise<void> {
    for (let line = this.#waiting[0]; line !== undefined; line = this.#waiting[0]) {
      const isVeryLarge = line.length > VERY_LARGE_LINE;
      if (line.length > LARGE_LINE) await nextTurn();
      const text = line.toString();
      if (isVeryLarge) await nextTurn();
      const message = parse(text);
      if (isVeryLarge) await nextTurn();
      this.#waiting.shift();
      this.#bytes -= line.length;
      this.#hand(message);
    }
  }

  #hand(message: unknown): void {
    if (message === undefined) this.#log("left out a line of its output that is not a message");
    else this.#events.message(message);
  }
}

interface Receivers {
  readonly messages: MessagesInOrder;
  readonly events: ChannelEvents;
  readonly kill: () => void;
}

/** THREAT: the upstream writes each line. Its text is never logged, since it may contain a result. */
function messageSink(limits: UpstreamLimits, log: Log, { messages, events, kill }: Receivers): LineSink {
  let scanner: JsonScanner | null = null;
  let skipped = 0;
  return {
    line: (bytes) => messages.take(bytes),
    excess: (bytes) => {
      scanner ??= new JsonScanner();
      scanner.push(bytes);
      skipped += bytes.length;
      if (skipped <= limits.messageBytes * ENDLESS_LINES) return;
      skipped = Number.NEGATIVE_INFINITY;
      log("killed: it wrote a line without an end");
      kill();
    },
    excessEnd: () => {
      log(`left out a message of more than ${limits.messageBytes} bytes or ${limits.messageValues} values`);
      events.oversized(scanner?.id ?? null);
      scanner = null;
      skipped = 0;
    },
  };
}

/** Undefined for what isn't a message. */
function parse(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function stderrSink(server: StdioServer, limits: UpstreamLimits, log: Log): LineSink {
  const clean = createCleanText(secretsOf(server));
  return {
    line: (bytes) => {
      const line = clean(bytes.toString("utf8"), limits.logLine);
      if (line !== "") log(`stderr: ${line}`);
    },
    // A part may end in the middle of a secret.
    excess: () => {},
    excessEnd: () => log(`stderr: left out a line of more than ${STDERR_LINE_BYTES} bytes`),
  };
}
