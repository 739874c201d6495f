/**
 * Text as PostgreSQL can hold it. It has no null character, so that one and the escape itself are written as two
 * characters; the first letters of a text stay the first letters of what is stored.
 */
import { SluicegateError } from "../../errors/index.ts";
import { toText } from "../append-request.ts";

/** Two of them fit into an entry of an index. */
const MAX_NAME_BYTES = 1024;
const LAST_CODE_POINT = 0x10ffff;
const SURROGATES = { first: 0xd800, after: 0xe000 };

export const toStored = (text: string): string =>
  toText(text).replaceAll("\u0001", "\u0001\u0002").replaceAll("\0", "\u0001\u0003");

export const fromStored = (stored: string): string =>
  stored.replaceAll("\u0001\u0003", "\0").replaceAll("\u0001\u0002", "\u0001");

/** A text to find rows by. Throws SluicegateError `unsupported-value` for one that is too long for an index. */
export function toStoredName(text: string): string {
  const stored = toStored(text);
  if (stored.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(stored) > MAX_NAME_BYTES) {
    throw new SluicegateError("unsupported-value", "The store can't find rows by a text that long.", {
      why: `Sessions, keys and principals have ${MAX_NAME_BYTES} bytes of UTF-8 at most in a PostgreSQL store.`,
      fix: "Use a shorter name.",
    });
  }
  return stored;
}

/** The least text above all that begin with a prefix; null where there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = [...prefix].map((one) => one.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  const next = last + 1 === SURROGATES.first ? SURROGATES.after : last + 1;
  return String.fromCodePoint(...points, next);
}
