/**
 * The gateway's side of the thread that parses PostgreSQL statements, because that takes long enough to delay
 * everybody else. One thread serves all databases of the process, one statement at a time, in turns.
 */
import { SluicegateError } from "../../../../errors/index.ts";
import { FairPlaces, startThread, type Thread } from "../../../../threads/index.ts";
import type { ReadReply, ReadRequest, WorkerReply } from "./statement-worker.ts";

export interface StatementReader {
  /**
   * Reads a statement. One that takes too long, or ends the thread, is refused.
   * @throws SluicegateError `usage` if the parser isn't installed, `upstream-timeout` if too many wait.
   */
  read(request: ReadRequest): Promise<ReadReply>;
  /**
   * Starts the thread for the first statement.
   * @throws SluicegateError as `read` does, and `upstream-unavailable` if the thread doesn't start.
   */
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

interface StatementReaderOptions {
  /** Time for one statement. */
  readonly milliseconds?: number;
  /** The thread's program; left out, the default. */
  readonly program?: URL;
}

const READ_MS = 10_000;
/** Waiting statements of one label holder. */
const MAX_WAITING = 64;

// In the compiled package it is beside this file, too.
const PROGRAM = new URL(
  `./statement-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

export function createStatementReader({
  milliseconds = READ_MS,
  program = PROGRAM,
}: StatementReaderOptions = {}): StatementReader {
  let thread: Thread<ReadRequest, WorkerReply> | null = null;
  const places = new FairPlaces({ places: 1, maxWaiting: MAX_WAITING, tooMany: tooManyWaitingError });
  let isClosed = false;

  const readNow = async (request: ReadRequest): Promise<ReadReply> => {
    if (isClosed) return NOT_READ;
    if (thread === null || thread.isOver) thread = startThread(program);
    const reply = await thread.ask(request, milliseconds);
    if (reply === null) return NOT_READ;
    if (reply.kind !== "not-loaded") return reply;
    // The next statement starts a new thread, which tries to load the parser again.
    await thread.end();
    throw parserMissingError(reply.cause);
  };

  const read = (request: ReadRequest): Promise<ReadReply> =>
    places.run(() => readNow(request), { length: request.sql.length });

  return {
    read,
    warmUp: async () => {
      const reply = await read({ sql: "SELECT 1", facts: new Map() });
      if (reply.kind === "refused") throw notStartedError();
    },
    close: async () => {
      isClosed = true;
      await thread?.end();
    },
  };
}

let shared: StatementReader | null = null;
let users = 0;

/** The reader of this process. Its thread starts with the first database that opens it, and ends with the last. */
export function openStatementReader(): StatementReader {
  shared ??= createStatementReader();
  users += 1;
  const reader = shared;
  let isOpen = true;
  return {
    ...reader,
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      users -= 1;
      if (users > 0) return;
      shared = null;
      await reader.close();
    },
  };
}

const NOT_READ: ReadReply = {
  kind: "refused",
  catalog: true,
  message: "What the statement reads wasn't found out.",
  why: "That took too long or too much memory, so it isn't run.",
  fix: "Write a smaller one: fewer tables, views and columns.",
};

const parserMissingError = (cause: unknown): SluicegateError =>
  new SluicegateError("usage", "PostgreSQL databases need the package `libpg-query`.", {
    why: "It reads a statement with PostgreSQL's own grammar, and it isn't installed.",
    fix: "Run `npm install pg libpg-query`.",
    cause,
  });

const notStartedError = (): SluicegateError =>
  new SluicegateError("upstream-unavailable", "Statements for PostgreSQL can't be read.", {
    why: "The thread that reads them didn't start, or was ended.",
    fix: "Try again later.",
  });

const tooManyWaitingError = (): SluicegateError =>
  new SluicegateError("upstream-timeout", "The statement wasn't read.", {
    why: "Too many others of this session wait to be read already.",
    fix: "Try again later.",
  });
