/**
 * A program that reads one SQLite database for the gateway. It is a process, because a thread can't be ended while
 * SQLite works. It ends when its channel closes; since it can't notice that while SQLite works, a thread checks
 * whether the gateway still runs.
 */
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { SluicegateError } from "../../../errors/index.ts";
import { DatabaseReader } from "./database-reader.ts";
import type { Answer, Request } from "./reading-process.ts";

const [path = ""] = process.argv.slice(2);
/** How often the thread checks that. */
const CHECK_INTERVAL_MS = 500;
let reader: DatabaseReader | null = null;

if (isMainThread) serve();
else setInterval(endWithout, CHECK_INTERVAL_MS, Number(workerData));

function serve(): void {
  new Worker(new URL(import.meta.url), { workerData: process.ppid, execArgv: [] }).unref();
  process.on("message", (request: Request) => {
    process.send?.(answer(request));
  });
  process.on("disconnect", () => process.exit(0));
  // A signal to the gateway's whole group is handled by the gateway.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
}

/** Ends the whole process once its parent has changed. */
function endWithout(parent: number): void {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}

function answer(request: Request): Answer {
  try {
    return { id: request.id, value: perform(request) };
  } catch (error) {
    return { id: request.id, failure: toFailure(error) };
  }
}

function perform(request: Request): unknown {
  reader ??= new DatabaseReader(path);
  if (request.kind === "examine") return reader.examine(request.question);
  if (request.kind === "run") return reader.run(request.chosen, request.page);
  if (request.kind === "describe") return reader.describe(request.table);
  return request.kind === "tables" ? reader.tables() : null;
}

function toFailure(error: unknown): NonNullable<Answer["failure"]> {
  if (SluicegateError.isInstance(error)) {
    const { code, message, why, fix } = error;
    return { code, message, why, fix };
  }
  const words =
    error instanceof Error ? error.message.slice(0, 500).replace(/\.?$/, ".") : "It gave no reason.";
  return {
    code: "upstream-unavailable",
    message: "The database can't be read.",
    why: `SQLite says: ${words}`,
    fix: "See that the file is there, is a SQLite database and may be read, and try again.",
  };
}
