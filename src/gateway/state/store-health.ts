/** Whether the store can be read and written, as of the last attempt, for readiness checks. */
import { setTimeout as delay } from "node:timers/promises";
import { SluicegateError } from "../../errors/index.ts";
import type { Clock, Store } from "../../runtime/index.ts";
import { toTimestamp } from "../../runtime/index.ts";

/** The outcome of the last write, or of a read that failed since. */
interface LastWrite {
  readonly ok: boolean;
  /** RFC 3339. */
  readonly at: string;
  /** The error; null if it succeeded. */
  readonly problem: string | null;
}

export interface StoreHealth {
  /** The same store, whose writes are watched. */
  readonly store: Store;
  /** Null before the first write. */
  readonly lastWrite: LastWrite | null;
  /** Writes that failed since the start. */
  readonly failures: number;
  /**
   * The last outcome; after a failure, or where it is older than a second, that of a new attempt. One that takes longer
   * than a second goes on alone, and the store counts as failed for now.
   */
  look(): Promise<LastWrite | null>;
}

/** The principal of the row that `look` writes. No session belongs to it. */
const PROBE = "sluicegate:readiness";
const FRESH_MS = 1000;
const PROBE_TIMEOUT_MS = 1000;

/** Watches a store's writes. `onFault` is called for the first of several failures. */
export function watchStore(given: Store, clock: Clock, onFault: (cause: unknown) => void): StoreHealth {
  let lastWrite: LastWrite | null = null;
  let failures = 0;
  let succeededAt = 0;
  let probing: Promise<void> | null = null;
  const fail = (cause: unknown): void => {
    const problem = cause instanceof Error ? cause.message : "It failed.";
    const isNews = lastWrite?.ok !== false;
    lastWrite = { ok: false, at: toTimestamp(clock.now()), problem };
    if (isNews) onFault(cause);
  };
  const watched =
    <Args extends unknown[], Value>(write: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      try {
        const value = await write(...args);
        const now = clock.now();
        succeededAt = now.getTime();
        lastWrite = { ok: true, at: toTimestamp(now), problem: null };
        return value;
      } catch (cause) {
        failures += 1;
        fail(cause);
        throw cause;
      }
    };
  // Every decision starts with this read: if the database is unavailable, it fails here before any write.
  const head: Store["head"] = async (session) => {
    try {
      return await given.head(session);
    } catch (cause) {
      // A damaged session must not stop the others.
      if (SluicegateError.isInstance(cause) && cause.code === "store-failed") fail(cause);
      throw cause;
    }
  };
  const append = watched(given.append.bind(given));
  const stick = watched(given.stick.bind(given));
  /** Reads where the last write was made; writes where it failed. */
  const probe = async (): Promise<void> => {
    if (lastWrite?.ok === false) return void (await stick(PROBE, PROBE, await given.sticky(PROBE)));
    await head(PROBE);
    succeededAt = clock.now().getTime();
  };
  const store = new Proxy(given, {
    get(target, key) {
      if (key === "append") return append;
      if (key === "stick") return stick;
      if (key === "head") return head;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    store,
    get lastWrite() {
      return lastWrite;
    },
    get failures() {
      return failures;
    },
    look: async () => {
      if (lastWrite === null || (lastWrite.ok && clock.now().getTime() - succeededAt < FRESH_MS))
        return lastWrite;
      probing ??= probe()
        .catch(() => {})
        .finally(() => {
          probing = null;
        });
      const isOver = await Promise.race([
        probing.then(() => true),
        delay(PROBE_TIMEOUT_MS, false, { ref: false }),
      ]);
      if (isOver || !lastWrite.ok) return lastWrite;
      const problem = "The store hasn't answered within a second.";
      return { ok: false, at: toTimestamp(clock.now()), problem };
    },
  };
}
