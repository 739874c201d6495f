/**
 * How fast what a server writes is read: so many lines, and then others have their turn.
 *
 * THREAT: a line costs a look whatever is in it, as an event of a stream some 50 µs, and a chunk may hold 30,000 of
 * them. A server that wrote nothing else would hold up everybody.
 */
import type { Readable } from "node:stream";

const LINES = 128;
const PERIOD_MS = 10;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

export class Pace {
  #left = LINES;
  #period: Promise<void> | null = null;

  /** How many bytes of a chunk may be read now: those of the lines that are left in this period. */
  take(chunk: Uint8Array): number {
    void this.next();
    let at = 0;
    for (; at < chunk.length && this.#left > 0; at += 1) {
      const byte = chunk[at];
      if (byte === NEWLINE || byte === RETURN) this.#left -= 1;
    }
    return at;
  }

  /** Resolves with the next period. */
  next(): Promise<void> {
    this.#period ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#left = LINES;
        this.#period = null;
        resolve();
      }, PERIOD_MS);
    });
    return this.#period;
  }
}

/** Reads a stream at that pace. */
export function readPaced(stream: Readable, read: (bytes: Buffer) => void): void {
  const pace = new Pace();
  /** True where all of it was read. */
  const take = (chunk: Buffer): boolean => {
    const length = pace.take(chunk);
    if (length > 0) read(chunk.subarray(0, length));
    if (length < chunk.length) void pace.next().then(() => take(chunk.subarray(length)) && stream.resume());
    return length === chunk.length;
  };
  stream.on("data", (chunk: Buffer) => {
    if (!take(chunk)) stream.pause();
  });
}
