/** The processes that read a SQLite database, each one task at a time, and as many as are needed at once. */
import { FairPlaces } from "../../../threads/index.ts";
import { type ReadingOptions, ReadingProcess, type Task, unavailable } from "./reading-process.ts";

/** How many tasks run at once, each in a process of its own. To examine a query may take seconds too. */
const SHARES = { places: 6, ofParty: 4, ofHolder: 1 };
/** How many tasks of one label holder may wait. */
const MAX_WAITING = 256;

export class DatabaseProcesses {
  readonly #options: ReadingOptions;
  readonly #places: FairPlaces;
  readonly #all: ReadingProcess[] = [];
  readonly #idle: ReadingProcess[] = [];
  #isClosed = false;

  constructor(options: ReadingOptions) {
    this.#options = options;
    const tooMany = () => unavailable(options.id, "Too many queries wait for it already.");
    this.#places = new FairPlaces({ ...SHARES, maxWaiting: MAX_WAITING, tooMany });
  }

  /** The ids of the processes that run. */
  get pids(): readonly number[] {
    return this.#all.flatMap(({ pid }) => pid ?? []);
  }

  /** Performs a task in its turn. */
  perform(task: Task, signal?: AbortSignal): Promise<unknown> {
    return this.#places.run(() => this.#perform(task, signal), { signal });
  }

  close(): void {
    this.#isClosed = true;
    for (const process of this.#all) process.end();
  }

  async #perform(task: Task, signal: AbortSignal | undefined): Promise<unknown> {
    if (this.#isClosed) throw unavailable(this.#options.id, "It was closed.");
    const process = this.#idle.pop() ?? this.#add();
    try {
      return await process.perform(task, signal);
    } finally {
      this.#idle.push(process);
    }
  }

  #add(): ReadingProcess {
    const process = new ReadingProcess(this.#options);
    this.#all.push(process);
    return process;
  }
}
