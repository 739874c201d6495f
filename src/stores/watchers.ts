/** Notifies listeners of a store's appends: of each append once, and all of them before the next append. */
import type { FeedEntry } from "../runtime/index.ts";

type Listener = (entries: readonly FeedEntry[]) => void;

export interface Watchers {
  /** Adds a listener; returns how to stop. */
  add(listener: Listener): () => void;
  /** Tells an append to every listener, also where one of them appends again or throws. */
  tell(entries: readonly FeedEntry[]): void;
}

/** Watchers of one store. If a listener throws, the others are still notified, and Node prints a warning. */
export function createWatchers(): Watchers {
  const watching = new Set<{ readonly listener: Listener }>();
  const untold: (readonly FeedEntry[])[] = [];
  let telling = false;
  return {
    add(listener) {
      const watcher = { listener };
      watching.add(watcher);
      return () => {
        watching.delete(watcher);
      };
    },
    tell(entries) {
      if (entries.length > 0) {
        untold.push(entries);
      }
      if (telling) {
        return;
      }
      telling = true;
      for (let next = untold.shift(); next !== undefined; next = untold.shift()) {
        for (const { listener } of [...watching]) {
          callListener(listener, next);
        }
      }
      telling = false;
    },
  };
}

function callListener(listener: Listener, entries: readonly FeedEntry[]): void {
  try {
    listener(entries);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
  }
}
