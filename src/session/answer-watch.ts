/**
 * Who in this process waits for a person's answer. One listener on the store, and only while somebody waits; what
 * another process answers is not told, so whoever waits also looks again now and then.
 */
import type { FeedEntry, Store } from "./store.ts";

/** One caller that waits for something to be answered in its session. */
export interface Waiter {
  /** Resolves after an answer, after some time, or once the caller is gone; at once where an answer came meanwhile. */
  next(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  end(): void;
}

/** Calls that are held at once; what comes beyond that is answered without being held. */
const MOST_HELD = 1000;
/** Those of one session, so that none leaves the others without room. */
const MOST_OF_SESSION = 100;

const ENDING: ReadonlySet<string> = new Set(["approval-answered", "approval-ended", "session-closed"]);

export class AnswerWatch {
  readonly #store: Pick<Store, "watch">;
  readonly #waiting = new Map<string, Set<() => void>>();
  #held = 0;
  #stop: (() => void) | null = null;

  constructor(store: Pick<Store, "watch">) {
    this.#store = store;
  }

  /** Begins to listen for answers in a session; null where too many listen already. */
  begin(session: string): Waiter | null {
    const own = this.#waiting.get(session)?.size ?? 0;
    if (this.#held >= MOST_HELD || own >= MOST_OF_SESSION) return null;
    let told = false;
    let wake = (): void => {};
    const tell = (): void => {
      told = true;
      wake();
    };
    this.#add(session, tell);
    return {
      next: async (milliseconds, signal) => {
        if (!told && !signal?.aborted) {
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          const timer = setTimeout(resolve, milliseconds);
          signal?.addEventListener("abort", tell, { once: true });
          await promise;
          clearTimeout(timer);
          signal?.removeEventListener("abort", tell);
        }
        told = false;
      },
      end: () => this.#remove(session, tell),
    };
  }

  #add(session: string, tell: () => void): void {
    this.#held += 1;
    this.#stop ??= this.#store.watch((entries) => this.#tell(entries));
    this.#waiting.set(session, (this.#waiting.get(session) ?? new Set()).add(tell));
  }

  #remove(session: string, tell: () => void): void {
    const waiting = this.#waiting.get(session);
    if (!waiting?.delete(tell)) return;
    if (waiting.size === 0) this.#waiting.delete(session);
    this.#held -= 1;
    if (this.#held > 0) return;
    this.#stop?.();
    this.#stop = null;
  }

  #tell(entries: readonly FeedEntry[]): void {
    for (const { session, entry } of entries) {
      if (!ENDING.has(entry.kind)) continue;
      for (const tell of this.#waiting.get(session) ?? []) tell();
    }
  }
}
