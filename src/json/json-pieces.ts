/** JSON that is written in pieces, so that a long value holds the event loop no longer than a short one. */

/** Characters of a piece; the last one may be shorter, and escapes may make one longer. */
const PIECE = 64 * 1024;
/** What is smaller is written at once. Each value and each name also counts as so many characters. */
const SMALL = 16 * 1024;
const OVERHEAD = 8;

/**
 * The text of `JSON.stringify(value)` in pieces, of which none ends within a character. A value that is short has one.
 * For plain data: an object's own `toJSON` may be passed over.
 */
export function* jsonPieces(value: unknown): Generator<string, void> {
  let piece = "";
  for (const part of parts(value)) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

function* parts(value: unknown): Generator<string, void> {
  if (weigh(value, SMALL) >= 0) yield JSON.stringify(value) ?? "null";
  else if (typeof value === "string") yield* partsOfText(value);
  else if (Array.isArray(value)) yield* partsOfList(value);
  else if (isObject(value)) yield* partsOfObject(value);
}

function* partsOfText(text: string): Generator<string, void> {
  yield '"';
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + SMALL, text.length);
    if (isWithinCharacter(text, to)) to += 1;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
  }
  yield '"';
}

const isWithinCharacter = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

function* partsOfList(list: readonly unknown[]): Generator<string, void> {
  let mark = "[";
  for (const item of list) {
    yield mark;
    yield* parts(item);
    mark = ",";
  }
  yield list.length === 0 ? "[]" : "]";
}

function* partsOfObject(object: Readonly<Record<string, unknown>>): Generator<string, void> {
  let mark = "{";
  for (const name of Object.keys(object)) {
    const member = object[name];
    if (member === undefined) continue;
    yield `${mark}${JSON.stringify(name)}:`;
    yield* parts(member);
    mark = ",";
  }
  yield mark === "{" ? "{}" : "}";
}

/** About how many characters a value has as JSON, without escapes. */
export const roughLength = (value: unknown): number =>
  Number.MAX_SAFE_INTEGER - weigh(value, Number.MAX_SAFE_INTEGER);

/** What is left of a number of characters after a value; less than 0 if it has more. */
function weigh(value: unknown, most: number): number {
  let left = most - OVERHEAD;
  if (typeof value === "string") return left - value.length;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (left < 0) break;
      left = weigh(item, left);
    }
  } else if (isObject(value)) {
    for (const name in value) {
      if (left < 0) break;
      left = weigh(value[name], left - OVERHEAD - name.length);
    }
  }
  return left;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
