import type { Store } from "./store.ts";

/** The time; taken as a parameter wherever it is read. */
export interface Clock {
  now(): Date;
}

/**
 * The system's clock, which never goes back while the process runs: where somebody sets it back, it goes on from where
 * it was, so that what waits expires all the same.
 */
export const systemClock: Clock = createSteadyClock(Date.now, () => performance.now());

/** A clock over the time of day and a time that only ever passes, both in milliseconds. */
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

/** A moment as the journal writes it: RFC 3339, UTC, with milliseconds. */
export const toTimestamp = (moment: Date): string => moment.toISOString();

/**
 * The time as a store has it: never behind its newest entry, whichever process wrote that. So what has expired for one
 * process has expired for all of them, also where their clocks run apart or one is set back.
 */
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
