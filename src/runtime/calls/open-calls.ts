/**
 * The calls that this process runs, from decision to end. The entries that admit and end a session's calls also mark
 * the session in the store. After a crash, the marks show which calls were running.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SessionState } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { Keep, KeptValue, Store } from "../ports/store.ts";

/** A process that runs calls on a shared store. */
export interface Runner {
  /** Unique among all processes at any time: 4 to 64 hex digits. */
  readonly id: string;
  /** Whether the process of another runner has certainly ended. */
  readonly isGone: (id: string) => boolean | Promise<boolean>;
}

interface OpenCallsOptions {
  readonly store: Store;
  readonly ledgerOf: (session: string) => Ledger;
  /** Left out: calls are counted, but not marked. */
  readonly runner: Runner | undefined;
  /** Called when no more calls begin, to end the wait of those that need approval. */
  readonly onDrain: () => void;
}

const MARK = "open-calls:";
const PAGE = 100;

/** The calls of a process. */
export class OpenCalls {
  readonly #options: OpenCallsOptions;
  readonly #ended = new Set<() => void>();
  #count = 0;
  #isDraining = false;
  #isOver = false;

  constructor(options: OpenCallsOptions) {
    this.#options = options;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whether the journal already says that the outcome of the open calls is unknown. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Adds the runner's id to the call. */
  sign<Call extends object>(call: Call): Call & { readonly runner?: string } {
    const { runner } = this.#options;
    return runner === undefined ? call : { ...call, runner: runner.id };
  }

  /**
   * Counts a call while it is decided and runs.
   * @throws SluicegateError `not-ready` if the process is stopping.
   */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#isDraining) throw stopping();
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) for (const ended of this.#ended) ended();
    }
  }

  /** Begins no more calls. Resolves when none is open, or after this time. */
  async drain(milliseconds: number): Promise<void> {
    this.#isDraining = true;
    this.#options.onDrain();
    if (this.#count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#ended.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#ended.delete(resolve);
  }

  /** The mark to store with the entry that admits a call, if no other runs in its session. */
  markFirst(running: SessionState["running"]): readonly Keep[] {
    const { runner } = this.#options;
    return runner === undefined || running.countOf(runner.id) > 0
      ? []
      : [{ key: MARK + runner.id, value: "open" }];
  }

  /** The mark to delete with the entry that ends a session's last call. */
  unmarkLast(running: SessionState["running"], call: string): readonly Keep[] {
    const { runner } = this.#options;
    const isOwn = runner !== undefined && running.get(call)?.runner === runner.id;
    return isOwn && running.countOf(runner.id) === 1 ? [{ key: MARK + runner.id, value: null }] : [];
  }

  /** Ends the calls of this process in the journal, with an unknown outcome. */
  async endOwn(): Promise<void> {
    const { runner, store } = this.#options;
    if (runner === undefined || this.#count === 0) return;
    this.#isOver = true;
    for (const mark of await store.keptWith(MARK + runner.id, Number.MAX_SAFE_INTEGER)) await this.#end(mark);
  }

  /**
   * Does the same for the calls of processes that have ended. INVARIANT: calls of a process that may be alive are
   * left alone.
   */
  async endThoseOfGone(): Promise<void> {
    const { runner, store } = this.#options;
    if (runner === undefined) return;
    const known = new Map([[runner.id, false]]);
    for (let after = 0; ; await nextTurn()) {
      const page = await store.keptWith(MARK, PAGE, after);
      for (const mark of page) {
        const id = runnerOf(mark);
        const isGone = known.get(id) ?? (await runner.isGone(id));
        known.set(id, isGone);
        // A journal that can't be read or written must not prevent the others.
        if (isGone) await this.#end(mark).catch(() => {});
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.position;
    }
  }

  #end(mark: KeptValue): Promise<void> {
    const runner = runnerOf(mark);
    return this.#options.ledgerOf(mark.session).commit(({ running }) => ({
      events: [...running]
        .filter(([, call]) => call.runner === runner)
        .map(([call]) => ({ kind: "call-finished", call, outcome: "unknown" })),
      keep: [{ key: mark.key, value: null }],
      value: undefined,
    }));
  }
}

const runnerOf = ({ key }: KeptValue): string => key.slice(MARK.length);

const stopping = (): SluicegateError =>
  new SluicegateError("not-ready", "No new calls are taken.", {
    why: "The gateway is stopping, and waits for the calls that run already.",
    fix: "Try again when it has been started anew.",
  });
