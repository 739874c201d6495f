/** The gateway's side of one process that reads a SQLite database, one task at a time. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ErrorCode, SluicegateError } from "../../../errors/index.ts";
import type { SqlPageRequest } from "../sql-engine.ts";
import type { ChosenWay, Question } from "./database-reader.ts";

export interface ReadingOptions {
  readonly id: string;
  readonly path: string;
  /** The longest that one task may take. */
  readonly seconds: number;
}

/** Additional time for starting a process. */
const START_MS = 10_000;

export class ReadingProcess {
  readonly #options: ReadingOptions;
  #child: ChildProcess | null = null;
  #lastId = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  /** The id of the running process, otherwise null. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Performs a task. If it takes too long or its caller leaves, the process is ended; the next task starts another. */
  async perform(task: Task, signal?: AbortSignal): Promise<unknown> {
    const milliseconds = this.#options.seconds * 1000;
    // So that the start's time isn't the task's.
    if (this.#child === null) await this.#ask({ kind: "open" }, START_MS + milliseconds, signal);
    return this.#ask(task, milliseconds, signal);
  }

  async #ask(task: Task, milliseconds: number, signal: AbortSignal | undefined): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const child = this.#child ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const take = (answer: Answer): void => {
      if (answer.id !== id) return;
      if (answer.failure === undefined) resolve(answer.value);
      else reject(toError(answer.failure));
    };
    const stop = (reason: unknown): void => {
      this.end();
      reject(reason);
    };
    const over = (): void => stop(unavailable(this.#options.id, "The process that reads it has ended."));
    const abort = (): void => stop(signal?.reason);
    const timer = setTimeout(() => stop(tooSlow(this.#options.seconds)), milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
    child.on("message", take).on("exit", over).on("error", over);
    hold(child, true);
    const request: Request = { id, ...task };
    child.send(request, (error) => {
      if (error !== null && this.#child === child) over();
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      child.off("message", take).off("exit", over).off("error", over);
      hold(child, false);
    }
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  #start(): ChildProcess {
    // In the compiled package it is beside this file, too.
    const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
    const file = fileURLToPath(new URL(`./sqlite-process${ending}`, import.meta.url));
    const child = fork(file, [this.#options.path], {
      cwd: "/",
      env: { ELECTRON_RUN_AS_NODE: "1" },
      execArgv: ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=1"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // The waiting task reports errors.
    child.on("error", () => {});
    // Such as where this process has too many files open.
    if (child.pid === undefined) throw unavailable(this.#options.id, "No process can be started to read it.");
    this.#child = child;
    child.on("exit", () => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }
}

/** Keeps the program alive only while a task runs. */
function hold(child: ChildProcess, isHeld: boolean): void {
  if (isHeld) child.ref();
  else child.unref();
  child.channel?.[isHeld ? "ref" : "unref"]();
}

const toError = ({ code, message, why, fix }: NonNullable<Answer["failure"]>): SluicegateError =>
  new SluicegateError(code, message, { why, fix });

export const unavailable = (id: string, why: string): SluicegateError =>
  new SluicegateError("upstream-unavailable", `The database \`${id}\` can't be asked.`, {
    why,
    fix: "Call it again later.",
  });

const tooSlow = (seconds: number): SluicegateError =>
  new SluicegateError("upstream-timeout", "The query was ended before it was done.", {
    why: `It took longer than ${seconds} seconds.`,
    fix: "Make it smaller: narrow it with WHERE, or read fewer tables.",
  });

/** Messages between the gateway and the process that reads a database. */
export type Request = { readonly id: number } & Task;

export type Task =
  | { readonly kind: "open" }
  | { readonly kind: "examine"; readonly question: Question }
  | { readonly kind: "run"; readonly chosen: ChosenWay; readonly page: SqlPageRequest }
  | { readonly kind: "tables" }
  | { readonly kind: "describe"; readonly table: string };

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly why: string;
    readonly fix: string;
  };
}
