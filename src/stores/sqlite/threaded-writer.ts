/**
 * A writer in a thread of its own: a commit waits for the disk there, and delays nobody but who asked for it. What is
 * asked for during a commit makes up the next one.
 */
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { type ErrorCode, type ErrorParts, SluicegateError } from "../../errors/index.ts";
import { failed } from "../store-errors.ts";
import type { SqliteWriter } from "./sqlite-writer.ts";

export interface WriterStart {
  readonly file: string;
  readonly patienceMs: number;
}

type Methods = { readonly [Method in keyof SqliteWriter]: Parameters<SqliteWriter[Method]> };

export type WriterRequest = {
  readonly [Method in keyof Methods]: {
    readonly id: number;
    readonly method: Method;
    readonly args: Methods[Method];
  };
}[keyof Methods];

type PlainError = Pick<SluicegateError, "code" | "message" | "why" | "fix" | "details">;

export type WriterReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PlainError };

/** The compiled package has it beside this file, in its own bundle too; somebody else's bundle has not. */
function findProgram(): URL | null {
  // A bundle of CommonJS has no address.
  const here: string | undefined = import.meta.url;
  const program = here ? new URL(`./writer-thread${here.endsWith(".ts") ? ".ts" : ".js"}`, here) : null;
  return program !== null && existsSync(program) ? program : null;
}

interface Pending {
  /** By `performance.now`. */
  readonly since: number;
  resolve(value: unknown): void;
  reject(error: SluicegateError): void;
}

/** A write that takes longer is answered as one of which nobody knows whether it happened: no call is held for ever. */
const WRITE_DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 1000;

/** Starts the thread; what is asked before it is ready waits. Null where its program isn't there. */
export function startWriterThread(start: WriterStart): SqliteWriter | null {
  const program = findProgram();
  if (program === null) return null;
  const worker = new Worker(program, { workerData: start, env: {}, execArgv: [] });
  const pending = new Map<number, Pending>();
  const waiting: WriterRequest[] = [];
  const post = (): void => {
    if (waiting.length > 0) worker.postMessage(waiting.splice(0));
  };
  let lastId = 0;
  let ended: SluicegateError | null = null;
  const end = (cause?: unknown): void => {
    ended ??= endedThread(cause);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
  };
  const hear = (reply: WriterReply): void => {
    const asked = pending.get(reply.id);
    pending.delete(reply.id);
    if ("error" in reply) asked?.reject(fromPlain(reply.error));
    else asked?.resolve(reply.value);
  };
  worker.on("message", (replies: readonly WriterReply[]) => {
    replies.forEach(hear);
    if (pending.size === 0) worker.unref();
  });
  worker.on("error", end);
  worker.on("exit", () => end());
  worker.unref();
  const deadline = setInterval(() => {
    const oldest = performance.now() - WRITE_DEADLINE_MS;
    for (const [id, { since, reject }] of pending)
      if (since < oldest && pending.delete(id)) reject(lateWrite());
  }, LOOK_EVERY_MS).unref();
  const ask = <Method extends keyof Methods>(
    method: Method,
    args: Methods[Method],
  ): ReturnType<SqliteWriter[Method]> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (ended !== null) reject(ended);
    else {
      lastId += 1;
      // A program that has nothing else to do waits for what it writes.
      if (pending.size === 0) worker.ref();
      pending.set(lastId, { since: performance.now(), resolve, reject });
      // What is asked for in one turn is one message.
      if (waiting.push({ id: lastId, method, args } as WriterRequest) === 1) setImmediate(post);
    }
    return promise as ReturnType<SqliteWriter[Method]>;
  };
  return {
    append: (...args) => {
      const appended = ask("append", args);
      if (args[1]) post();
      return appended;
    },
    stick: (...args) => ask("stick", args),
    prune: (...args) => ask("prune", args),
    close: async () => {
      clearInterval(deadline);
      await ask("close", []).finally(() => worker.terminate());
    },
  };
}

const fromPlain = ({ code, message, ...parts }: PlainError): SluicegateError =>
  new SluicegateError(code satisfies ErrorCode, message, parts satisfies ErrorParts);

const lateWrite = (): SluicegateError =>
  failed(
    "The store could not write in time.",
    `The disk took longer than ${WRITE_DEADLINE_MS / 1000} seconds. What was asked for may still be written.`,
    "See what else uses the disk, and try again.",
  );

const endedThread = (cause: unknown): SluicegateError =>
  failed(
    "The store can't be written any more.",
    `The thread that writes it has ended${cause instanceof Error ? `: ${cause.message}` : ""}. What was asked of it may have been written or not.`,
    "Start the gateway again.",
    cause,
  );
