/** Decodes bytes that are text. */
import { isUtf8 } from "node:buffer";

const LOOKED_AT = 8192;

export interface DecodedText {
  readonly text: string;
  /** Whether encoding the text gives the same bytes. */
  readonly exact: boolean;
}

/** The text of a file; null if it isn't text. A byte order mark stays. */
export function decodeText(bytes: Buffer): DecodedText | null {
  if (isBinary(bytes)) return null;
  return { text: bytes.toString("utf8"), exact: isUtf8(bytes) };
}

/** As in git: a NUL near the beginning. */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, LOOKED_AT).includes(0);

/** The number of line ends in these bytes. */
export function lineEndsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 10) count += 1;
  return count;
}
