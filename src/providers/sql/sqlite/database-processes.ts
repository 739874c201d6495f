/**
 * The processes that read a SQLite database. Tasks wait by principal, and by the label holders of each. No two of one
 * principal run at once, so that its slow queries leave a process to the others.
 */
import { currentOwner, FairQueue, partyOf, type QueuedItem, type TurnOwner } from "../../../threads/index.ts";
import { type ReadingOptions, ReadingProcess, type Task, unavailable } from "./reading-process.ts";

/** The second one starts once two principals read at the same time. */
const PROCESSES = 2;
/** How many tasks of one label holder may wait. */
const MAX_WAITING = 64;

interface Waiting extends QueuedItem {
  readonly task: Task;
  readonly signal: AbortSignal | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class DatabaseProcesses {
  readonly #id: string;
  readonly #all: readonly ReadingProcess[];
  readonly #idle: ReadingProcess[];
  readonly #waiting = new FairQueue<Waiting>(MAX_WAITING);
  readonly #running = new Set<Waiting>();
  #isClosed = false;

  constructor(options: ReadingOptions) {
    this.#id = options.id;
    this.#all = Array.from({ length: PROCESSES }, () => new ReadingProcess(options));
    this.#idle = this.#all.toReversed();
  }

  /** The ids of the processes that run. */
  get pids(): readonly number[] {
    return this.#all.flatMap(({ pid }) => pid ?? []);
  }

  /** Performs a task in its turn. */
  perform(task: Task, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw unavailable(this.#id, "It was closed.");
      const drop = (): void => reject(unavailable(this.#id, "Too many queries wait for it already."));
      const waiting = { task, signal, resolve, reject, owner: currentOwner(), length: 0, drop };
      if (!this.#waiting.add(waiting)) drop();
      signal?.addEventListener("abort", () => this.#leave(waiting), { once: true });
      this.#next();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const process of this.#all) process.end();
    const take = () => this.#waiting.take(() => false);
    for (let waiting = take(); waiting !== undefined; waiting = take())
      waiting.reject(unavailable(this.#id, "It was closed."));
  }

  #next(): void {
    const isRunning = (owner: TurnOwner): boolean =>
      [...this.#running].some((running) => partyOf(running.owner) === partyOf(owner));
    while (this.#idle.length > 0) {
      const waiting = this.#waiting.take(isRunning);
      if (waiting === undefined) return;
      void this.#perform(waiting);
    }
  }

  async #perform(waiting: Waiting): Promise<void> {
    const process = this.#idle.pop();
    if (process === undefined) return;
    const { task, signal, resolve, reject } = waiting;
    this.#running.add(waiting);
    await process.perform(task, signal).then(resolve, reject);
    this.#running.delete(waiting);
    this.#idle.push(process);
    this.#next();
  }

  /** A task whose caller has left frees its place. */
  #leave(waiting: Waiting): void {
    this.#waiting.remove(waiting);
    if (!this.#running.has(waiting)) waiting.reject(waiting.signal?.reason);
  }
}
