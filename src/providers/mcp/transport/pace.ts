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

/** The periods of all streams that one thread reads. */
export class Periods {
  number = 0;
  /** Lines that a stream may write in this period. */
  share = LINES;
  /** Streams that wrote their whole share. */
  exhausted = 0;
  #end: Promise<void> | null = null;

  /** Resolves with the next period. */
  next(): Promise<void> {
    this.#end ??= new Promise((resolve) => {
      setTimeout(() => {
        this.share = Math.max(1, Math.floor(LINES / Math.max(1, this.exhausted)));
        this.exhausted = 0;
        this.number += 1;
        this.#end = null;
        resolve();
      }, PERIOD_MS);
    });
    return this.#end;
  }
}

const periodsOfProcess = new Periods();

export class Pace {
  readonly #periods: Periods;
  #left = 0;
  /** Bytes since the last that counted as a line. */
  #bytes = 0;
  #period = -1;

  constructor(periods = periodsOfProcess) {
    this.#periods = periods;
  }

  /** How many bytes of a chunk may be read now, by the lines left in this period. */
  take(chunk: Uint8Array): number {
    void this.#periods.next();
    if (this.#period !== this.#periods.number) {
      this.#period = this.#periods.number;
      this.#left = this.#periods.share;
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
    if (this.#left === 0) this.#periods.exhausted += 1;
    return at;
  }

  next(): Promise<void> {
    return this.#periods.next();
  }
}

/**
 * Reads a stream within that limit.
 * @param options.busy what to wait for before more is read; null for nothing
 * @returns resolves when all that has come is read
 */
export function readPaced(
  stream: Readable,
  read: (bytes: Buffer) => void,
  { busy = () => null, pace = new Pace() }: { busy?: () => Promise<void> | null; pace?: Pace } = {},
): () => Promise<void> {
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
