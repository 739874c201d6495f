/** Splits a stream of bytes into lines. It holds at most one line, of limited length and a limited number of values. */
import { JsonScanner } from "../../../json/json-scanner.ts";

const NEWLINE = 0x0a;

export interface LineSink {
  /** A whole line, without its end. */
  line(bytes: Buffer): void;
  /** A part of a line that is too long, in order from the first. */
  excess(bytes: Buffer): void;
  /** The end of a line that came in parts. */
  excessEnd(): void;
}

/**
 * Returns the function that takes chunks. A line longer than `longest` bytes, or with more than `mostValues` JSON values,
 * goes to the sink in parts and isn't kept.
 */
export function createLineReader(
  longest: number,
  sink: LineSink,
  mostValues?: number,
): (chunk: Buffer) => void {
  let scanner = new JsonScanner(mostValues);
  let held: Buffer[] = [];
  let length = 0;
  let isExcess = false;
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (!isExcess && mostValues !== undefined) scanner.push(piece);
    if (!isExcess && (length > longest || scanner.values > (mostValues ?? 0))) {
      isExcess = true;
      for (const part of held) sink.excess(part);
      held = [];
    }
    if (isExcess) sink.excess(piece);
    else held.push(piece);
  };
  const end = (): void => {
    if (isExcess) sink.excessEnd();
    // INVARIANT: a line in one piece isn't copied; one in several pieces is copied once.
    else if (length > 0) sink.line(held.length === 1 && held[0] ? held[0] : Buffer.concat(held));
    held = [];
    length = 0;
    isExcess = false;
    scanner = new JsonScanner(mostValues);
  };
  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      if (at > start) add(chunk.subarray(start, at));
      end();
      start = at + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  };
}
