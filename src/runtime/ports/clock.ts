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
