/** Caches truncated approvals while they are pending: the queue is read repeatedly, and arguments may be long. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { parseJson } from "../../json/parse-json.ts";
import type { Store } from "../ports/store.ts";
import { foldApproval } from "./fold-approval.ts";
import { type QueuedApproval, readDetails } from "./kept-approvals.ts";

/** Characters of the whole cache. */
const MAX_REMEMBERED = 16 * 1024 * 1024;
/** What is longer than this is read in a turn of its own. */
const LONG = 64 * 1024;

export class FoldedApprovals {
  readonly #store: Store;
  /** The JSON texts, which hold nothing of the whole in memory as a part of a long text would. */
  readonly #texts = new Map<string, string>();
  readonly #reading = new Map<string, Promise<string | null>>();
  #length = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The JSON of an approval, truncated to `most` characters; null if it is over. */
  async read(queued: QueuedApproval, most: number): Promise<string | null> {
    const key = `${queued.id} ${most}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const reading = this.#reading.get(key) ?? this.#fold(queued, most, key);
    this.#reading.set(key, reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(key);
    }
  }

  /** INVARIANT: an approval is cached only while it is pending. */
  forgetAllBut(waiting: readonly QueuedApproval[]): void {
    const ids = new Set(waiting.map(({ id }) => id));
    for (const key of this.#texts.keys()) if (!ids.has(key.slice(0, key.indexOf(" ")))) this.#forget(key);
  }

  async #fold(queued: QueuedApproval, most: number, key: string): Promise<string | null> {
    const text = await readDetails(this.#store, queued);
    if (text === null) return null;
    const folded = JSON.stringify(foldApproval(parseJson(text), most));
    this.#texts.set(key, folded);
    this.#length += folded.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#length <= MAX_REMEMBERED) break;
      this.#forget(oldest);
    }
    if (text.length > LONG) await nextTurn();
    return folded;
  }

  #forget(key: string): void {
    this.#length -= this.#texts.get(key)?.length ?? 0;
    this.#texts.delete(key);
  }
}
