/**
 * Limits how fast servers' output is read: a number of lines, then other work gets its turn. A long line counts as
 * several.
 *
 * THREAT: each line costs some time, about 50 µs for an event of a stream, and a chunk may contain 30,000 of them; a
 * line of megabytes costs as much as many. So a few servers could block the gateway: those that write more than their
 * share divide the lines of a period.
 */
import type { Readable } from "node:stream";

const LINES = 128;
/** So many bytes count as one more line. */
const LINE_BYTES = 4096;
const PERIOD_MS = 10;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The period of this process: one thread reads all streams. */
const period = { number: 0, share: LINES, exhausted: 0, end: null as Promise<void> | null };

/** Resolves with the next period. */
function nextPeriod(): Promise<void> {
  period.end ??= new Promise((resolve) => {
    setTimeout(() => {
      period.share = Math.max(1, Math.floor(LINES / Math.max(1, period.exhausted)));
      period.exhausted = 0;
      period.number += 1;
      period.end = null;
      resolve();
    }, PERIOD_MS);
  });
  return period.end;
}

export class Pace {
  #left = 0;
  /** Bytes since the last that counted as a line. */
  #bytes = 0;
  #period = -1;

  /** How many bytes of a chunk may be read now, by the lines left in this period. */
  take(chunk: Uint8Array): number {
    void nextPeriod();
    if (this.#period !== period.number) {
      this.#period = period.number;
      this.#left = period.share;
    }
    if (this.#left === 0) return 0;
    let at = 0;
    for (; at < chunk.length && this.#left > 0; at += 1) {
      const byte = chunk[at];
      this.#bytes += 1;
      if (byte !== NEWLINE && byte !== RETURN && this.#bytes < LINE_BYTES) continue;
      this.#bytes = 0;
      this.#left -= 1;
    }
    if (this.#left === 0) period.exhausted += 1;
    return at;
  }

  next(): Promise<void> {
    return nextPeriod();
  }
}

/**
 * Reads a stream within that limit.
 * @param busy what to wait for before more is read; null for nothing
 * @returns resolves when all that has come is read
 */
export function readPaced(
  stream: Readable,
  read: (bytes: Buffer) => void,
  busy: () => Promise<void> | null = () => null,
): () => Promise<void> {
  const pace = new Pace();
  let whole: Promise<void> = Promise.resolve();
  /** What is left of a chunk. */
  const readSome = (chunk: Buffer): Buffer => {
    const length = busy() === null ? pace.take(chunk) : 0;
    if (length > 0) read(chunk.subarray(0, length));
    return chunk.subarray(length);
  };
  const readRest = async (rest: Buffer): Promise<void> => {
    for (let left = rest; left.length > 0; left = readSome(left)) await (busy() ?? pace.next());
    stream.resume();
  };
  stream.on("data", (chunk: Buffer) => {
    const rest = readSome(chunk);
    if (rest.length === 0) return;
    stream.pause();
    whole = readRest(rest);
  });
  return () => whole;
}
