/**
 * The calls that this process runs, from their decision to their end. Each session with one is marked in the store by
 * the entries that admit and end it, so that whatever the process was in the middle of can be told afterwards.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SessionState } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { Keep, KeptValue, Store } from "../ports/store.ts";

/** Who runs calls on a store that several processes share. */
export interface Runner {
  /** Given to no other process, at any time: 4 to 64 hex digits. */
  readonly id: string;
  /** Whether the process of another runner has ended for certain. */
  readonly isGone: (id: string) => boolean | Promise<boolean>;
}

interface OpenCallsOptions {
  readonly store: Store;
  readonly ledgerOf: (session: string) => Ledger;
  /** Left out: calls are counted, and marked nowhere. */
  readonly runner: Runner | undefined;
  /** Called when no more calls begin, to let go of those that are held for a person. */
  readonly onDrain: () => void;
}

const MARK = "open-calls:";
const PAGE = 100;

/** The calls that a process runs. */
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

  /** Whether the journal says already that nobody knows how what is open went. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The call, with who runs it. */
  sign<Call extends object>(call: Call): Call & { readonly runner?: string } {
    const { runner } = this.#options;
    return runner === undefined ? call : { ...call, runner: runner.id };
  }

  /**
   * Counts a call while it is decided and runs.
   * @throws SluicegateError `not-ready` where the process is stopping.
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

  /** Begins no more calls; resolves when none is open, or after so many milliseconds. */
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

  /** What is kept with the entry that admits a call, on what runs in its session before it. */
  markFirst(running: SessionState["running"]): readonly Keep[] {
    const { runner } = this.#options;
    return runner === undefined || runs(running, runner.id) ? [] : [{ key: MARK + runner.id, value: "open" }];
  }

  /** What is kept with the entry that ends a call. */
  unmarkLast(running: SessionState["running"], call: string): readonly Keep[] {
    const { runner } = this.#options;
    return running.get(call)?.runner !== runner?.id ||
      runner === undefined ||
      runs(running.without(call), runner.id)
      ? []
      : [{ key: MARK + runner.id, value: null }];
  }

  /** Ends the calls of this process in the journal, whose outcome nobody will know. */
  async endOwn(): Promise<void> {
    const { runner, store } = this.#options;
    if (runner === undefined || this.#count === 0) return;
    this.#isOver = true;
    for (const mark of await store.keptWith(MARK + runner.id, Number.MAX_SAFE_INTEGER)) await this.#end(mark);
  }

  /** Does the same for the calls of processes that are gone. INVARIANT: those of one that may live are left alone. */
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
        // One journal that can't be read or written keeps nobody from the others.
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

const runs = (running: SessionState["running"], runner: string): boolean =>
  [...running].some(([, call]) => call.runner === runner);

const stopping = (): SluicegateError =>
  new SluicegateError("not-ready", "No new calls are taken.", {
    why: "The gateway is stopping, and waits for the calls that run already.",
    fix: "Try again when it has been started anew.",
  });
