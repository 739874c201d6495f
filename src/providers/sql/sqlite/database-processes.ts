/**
 * The gateway's side of the process that reads a SQLite database. Tasks run one at a time; principals take turns, and
 * the label holders of each. A task that takes too long, or whose caller has left, is ended with its process, and the
 * next one starts another.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ErrorCode, SluicegateError } from "../../../errors/index.ts";
import { currentOwner, FairQueue, partyOf, type QueuedItem } from "../../../threads/index.ts";
import type { SqlPageRequest } from "../sql-engine.ts";
import type { ChosenWay, Question } from "./database-reader.ts";

interface DatabaseProcessOptions {
  readonly id: string;
  readonly path: string;
  /** The longest that one task may take. */
  readonly seconds: number;
}

/** How many tasks of one label holder may wait. */
const MAX_WAITING = 64;
/** Additional time for starting a process. */
const START_MS = 10_000;

interface Waiting extends QueuedItem {
  readonly task: Task;
  readonly signal: AbortSignal | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class DatabaseProcess {
  readonly #options: DatabaseProcessOptions;
  readonly #waiting = new FairQueue<Waiting>(MAX_WAITING);
  #child: ChildProcess | null = null;
  #current: Waiting | null = null;
  #lastParty = "";
  #lastId = 0;
  #isClosed = false;

  constructor(options: DatabaseProcessOptions) {
    this.#options = options;
  }

  /** The id of the running process, otherwise null. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Performs a task in its turn. */
  perform(task: Task, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw unavailable(this.#options.id, "It was closed.");
      const drop = (): void => reject(unavailable(this.#options.id, "Too many queries wait for it already."));
      const waiting = { task, signal, resolve, reject, owner: currentOwner(), length: 0, drop };
      if (!this.#waiting.add(waiting)) drop();
      signal?.addEventListener("abort", () => this.#drop(waiting), { once: true });
      this.#next();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
    const take = () => this.#waiting.take(() => false);
    for (let waiting = take(); waiting !== undefined; waiting = take())
      waiting.reject(unavailable(this.#options.id, "It was closed."));
  }

  #next(): void {
    if (this.#current !== null) return;
    // A task may take seconds, so whoever came during that one is next.
    const waiting =
      this.#waiting.take((owner) => partyOf(owner) === this.#lastParty) ?? this.#waiting.take(() => false);
    if (waiting === undefined) return;
    this.#current = waiting;
    this.#lastParty = partyOf(waiting.owner);
    this.#perform(waiting);
  }

  /** A task whose caller has left frees its place. */
  #drop(waiting: Waiting): void {
    this.#waiting.remove(waiting);
    if (this.#current !== waiting) waiting.reject(waiting.signal?.reason);
  }

  #perform({ task, signal, resolve, reject }: Waiting): void {
    this.#lastId += 1;
    const id = this.#lastId;
    const isNew = this.#child === null;
    const child = this.#child ?? this.#start();
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      child.off("message", take).off("exit", over).off("error", over);
      hold(child, false);
      this.#current = null;
      settle();
      this.#next();
    };
    const take = (answer: Answer): void => {
      if (answer.id !== id) return;
      finish(() => (answer.failure === undefined ? resolve(answer.value) : reject(toError(answer.failure))));
    };
    const stop = (reason: unknown): void => {
      this.#end();
      finish(() => reject(reason));
    };
    const over = (): void => stop(unavailable(this.#options.id, "The process that reads it has ended."));
    const abort = (): void => stop(signal?.reason);
    const timer = setTimeout(
      () => stop(tooSlow(this.#options.seconds)),
      this.#options.seconds * 1000 + (isNew ? START_MS : 0),
    );
    signal?.addEventListener("abort", abort, { once: true });
    child.on("message", take).on("exit", over).on("error", over);
    hold(child, true);
    const request: Request = { id, ...task };
    child.send(request, (error) => {
      if (error !== null && this.#child === child) over();
    });
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
    this.#child = child;
    child.on("exit", () => {
      if (this.#child === child) this.#child = null;
    });
    // The waiting task reports errors.
    child.on("error", () => {});
    return child;
  }

  #end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = null;
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

const unavailable = (id: string, why: string): SluicegateError =>
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

type Task =
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
