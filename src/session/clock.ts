/** The time; taken as a parameter wherever it is read. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = Object.freeze({ now: () => new Date() });

/** A moment as the journal writes it: RFC 3339, UTC, with milliseconds. */
export const toTimestamp = (moment: Date): string => moment.toISOString();
