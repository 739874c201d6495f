/** Cuts a stream of bytes into lines, holding at most one line of bounded length and of bounded numbers of values and names. */
import { JsonScanner } from "../../../json/json-scanner.ts";
import type { UpstreamLimits } from "../limits.ts";

const NEWLINE = 0x0a;

export interface LineSink {
  /** A whole line, without its end. */
  line(bytes: Buffer): void;
  /** A piece of a line that is longer than allowed, in order from its first byte on. */
  excess(bytes: Buffer): void;
  /** The end of a line that came in pieces. */
  excessEnd(): void;
}

/**
 * Returns what takes the chunks. A line longer than `longest` bytes, or with more values or names of JSON than `bounds`
 * say, goes to the sink in pieces and is not kept.
 */
export function createLineReader(
  longest: number,
  sink: LineSink,
  bounds?: Pick<UpstreamLimits, "messageValues" | "messageNames">,
): (chunk: Buffer) => void {
  let scanner = new JsonScanner();
  let held: Buffer[] = [];
  let length = 0;
  let isExcess = false;
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (!isExcess && bounds) scanner.push(piece);
    if (!isExcess && (length > longest || (bounds && isOver(scanner, bounds)))) {
      isExcess = true;
      for (const part of held) sink.excess(part);
      held = [];
    }
    if (isExcess) sink.excess(piece);
    else held.push(piece);
  };
  const end = (): void => {
    if (isExcess) sink.excessEnd();
    // INVARIANT: one piece is passed on as it is; only a line that came in several is copied, once.
    else if (length > 0) sink.line(held.length === 1 && held[0] ? held[0] : Buffer.concat(held));
    held = [];
    length = 0;
    isExcess = false;
    scanner = new JsonScanner();
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

export const isOver = (
  { values, names }: JsonScanner,
  { messageValues, messageNames }: Pick<UpstreamLimits, "messageValues" | "messageNames">,
): boolean => values > messageValues || names > messageNames;
