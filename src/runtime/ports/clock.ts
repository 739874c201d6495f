import type { Store } from "./store.ts";

/** The time. It is passed as a parameter wherever it is needed. */
export interface Clock {
  now(): Date;
}

/**
 * The system's clock, except that it never goes back while the process runs: if somebody sets the system's clock
 * back, it continues from where it was, so that things still expire.
 */
export const systemClock: Clock = createSteadyClock(Date.now, () => performance.now());

/** A clock from the time of day and a monotonic time, both in milliseconds. */
export function createSteadyClock(timeOfDay: () => number, passed: () => number): Clock {
  let latest = { time: timeOfDay(), at: passed() };
  return Object.freeze({
    now: () => {
      const at = passed();
      latest = { time: Math.max(timeOfDay(), latest.time + at - latest.at), at };
      return new Date(latest.time);
    },
  });
}

/** A time as the journal writes it: RFC 3339, UTC, with milliseconds. */
export const toTimestamp = (moment: Date): string => moment.toISOString();

/**
 * The time of a store: never before its newest entry, whichever process wrote that. So what has expired for one
 * process has expired for all, even if their clocks differ or one is set back.
 */
export class StoreClock implements Clock {
  readonly #store: Pick<Store, "newest">;
  readonly #clock: Clock;
  /** How far the store's time is ahead of this process's clock. */
  #aheadMs = 0;

  constructor(store: Pick<Store, "newest">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  now(): Date {
    return new Date(this.#clock.now().getTime() + this.#aheadMs);
  }

  /** Sets the time to that of an entry (RFC 3339; empty: none), if it is later. */
  see(at: string): void {
    const ahead = Date.parse(at) - this.#clock.now().getTime();
    if (ahead > this.#aheadMs) this.#aheadMs = ahead;
  }

  /** Sets the time to that of the store's newest entry, if it is later. */
  async catchUp(): Promise<void> {
    this.see((await this.#store.newest()) ?? "");
  }
}
