/**
 * The time as a store has it: never behind its newest entry, whichever process wrote that. So what has expired for one
 * process has expired for all of them, also where their clocks run apart or one is set back.
 */
import type { Clock } from "./clock.ts";
import type { Store } from "./store.ts";

export class StoreClock implements Clock {
  readonly #store: Pick<Store, "newest">;
  readonly #clock: Clock;
  /** How far the store's time is ahead of this process's clock; from then on it goes on as that does. */
  #aheadMs = 0;

  constructor(store: Pick<Store, "newest">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  now(): Date {
    return new Date(this.#clock.now().getTime() + this.#aheadMs);
  }

  /** Goes on from the time of an entry (RFC 3339; empty: of none), where that is later. */
  see(at: string): void {
    const ahead = Date.parse(at) - this.#clock.now().getTime();
    if (ahead > this.#aheadMs) this.#aheadMs = ahead;
  }

  /** Goes on from the newest entry of the store. */
  async catchUp(): Promise<void> {
    this.see((await this.#store.newest()) ?? "");
  }
}
