/** Work of which so much runs at a time. Principals alternate, and the label holders of each. */
import { memberOf, OwnerCounts } from "./counts.ts";
import { currentOwner } from "./current-owner.ts";
import { FairQueue, type QueuedItem } from "./fair-queue.ts";

export interface PlacesOptions {
  /** How many run at a time. */
  readonly places: number;
  /** How many of these one principal may have; all of them unless given. */
  readonly ofParty?: number;
  /** And one label holder; as many as a principal unless given. */
  readonly ofHolder?: number;
  /** How many of one label holder may wait. */
  readonly maxWaiting: number;
  /** The error where too many wait. */
  readonly tooMany: () => Error;
}

interface Waiting extends QueuedItem {
  begin(): void;
}

export class FairPlaces {
  readonly #places: number;
  readonly #share: { readonly party: number; readonly holder: number };
  readonly #tooMany: () => Error;
  readonly #waiting: FairQueue<Waiting>;
  readonly #running = new OwnerCounts();

  constructor({ places, ofParty = places, ofHolder = ofParty, maxWaiting, tooMany }: PlacesOptions) {
    this.#places = places;
    this.#share = { party: ofParty, holder: ofHolder };
    this.#tooMany = tooMany;
    this.#waiting = new FairQueue(maxWaiting);
  }

  /**
   * Does the work of the current owner once there is a place for it. Rejects with the signal's reason if that aborts
   * before; afterwards the signal is the work's own matter.
   *
   * @param options.length Characters that it keeps while it waits.
   */
  async run<Value>(
    work: () => Promise<Value>,
    { signal, length = 0 }: { readonly signal?: AbortSignal | undefined; readonly length?: number } = {},
  ): Promise<Value> {
    const owner = currentOwner();
    await this.#begin({ owner, length }, signal);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#running.add(memberOf(owner), -1);
      // Whoever came during this work is next.
      this.#waiting.defer(owner);
      this.#next();
    }
  }

  #begin(item: Omit<Waiting, "begin" | "drop">, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve: begin, reject } = Promise.withResolvers<void>();
    const waiting = { ...item, begin, drop: () => reject(this.#tooMany()) };
    const leave = (): void => {
      this.#waiting.remove(waiting);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave);
    if (this.#waiting.add(waiting)) this.#next();
    else waiting.drop();
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  #next(): void {
    while (this.#running.total < this.#places) {
      const waiting = this.#waiting.take(this.#running, this.#share);
      if (waiting === undefined) return;
      this.#running.add(memberOf(waiting.owner), 1);
      waiting.begin();
    }
  }
}
