/**
 * JSON from outside, read so that nobody downstream can read it differently: no repeated or `__proto__` keys, no
 * lone surrogates, no number that doesn't survive a round trip, bounded depth, and a bounded number of values: what
 * a request costs goes by these, not by its bytes.
 */
import { SluicegateError } from "../errors/index.ts";
import { FEW_VALUES, MAX_NAME_LENGTH, VALUES_OF_NAME } from "./json-scanner.ts";
import { endOfString, isFollowedByColon, parseNatively, readInStages, STAGE, toEnd } from "./parse-json.ts";

const MAX_JSON_DEPTH = 64;
/** Values of one document. */
const MAX_VALUES = 50_000;

/** JSON that can't be used, and why. */
export const malformedJson = (why: string): SluicegateError =>
  new SluicegateError("malformed-json", "The JSON can't be used.", {
    why,
    fix: "Send one JSON document in UTF-8 that every parser reads alike.",
  });

/**
 * @throws SluicegateError `malformed-json` that says what is wrong, without the text itself; `limit-reached` for too
 * many values.
 */
export const parseStrictJson = (text: string): unknown => toEnd(parseInStages(text));

/** The same in stages, between which the caller may let others work. Throws as `parseStrictJson` does. */
export function* parseInStages(text: string): Generator<void, unknown> {
  const bounds = yield* countBounds(text);
  yield;
  let value: unknown;
  try {
    value = parseNatively(text);
  } catch {
    throw malformedJson("It is not valid JSON.");
  }
  yield;
  if (!text.isWellFormed()) throw malformedJson("It is not valid UTF-8.");
  if (bounds.hasEscapedNames) value = yield* readInStages(text, bounds.readNames);
  yield* assertUnambiguous(text, bounds);
  return value;
}

/** @throws SluicegateError `malformed-json` for a text that is nested deeper; it need not be JSON. */
export function assertJsonDepth(text: string, maxDepth: number): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) depth += 1;
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth -= 1;
    if (depth > maxDepth) throw malformedJson(`It is nested more than ${maxDepth} deep.`);
  }
}

/** Depth, values and names are counted on the text, before anything is built from it. */
function* countBounds(text: string): Generator<void, Bounds> {
  const bounds = new Bounds();
  for (let at = 0; at < text.length; yield) {
    const end = Math.min(at + STAGE, text.length);
    for (; at < end; at += 1) {
      const char = text.charCodeAt(at);
      if (char === QUOTE) at = bounds.skipString(text, at);
      else bounds.count(char);
    }
  }
  return bounds;
}

/** A string of more characters takes so long to go through that it isn't done twice. */
const LONG = 1000;

class Bounds {
  hasEscapedNames = false;
  /** What names say, by how they are written; empty if none has an escape. */
  readonly readNames = new Map<string, string>();
  /** Where long strings end, by where they begin. */
  readonly #ends = new Map<number, number>();
  readonly #names = new Set<string>();
  #depth = 0;
  // A value stands at the beginning, after each comma, and first in each list and object.
  #values = 1;

  /** The index of a string's end. */
  skipString(text: string, start: number): number {
    const end = endOfString(text, start);
    if (end - start > LONG) this.#ends.set(start, end);
    if (isFollowedByColon(text, end)) this.#addName(text.slice(start + 1, end));
    return end;
  }

  /** The same without going through a long string again. */
  endOfString(text: string, start: number): number {
    return this.#ends.get(start) ?? endOfString(text, start);
  }

  #addName(written: string): void {
    if (written.length > MAX_NAME_LENGTH) throw nameTooLong();
    this.hasEscapedNames ||= written.includes("\\");
    if (this.#values > FEW_VALUES) this.#names.add(written);
    this.#checkValues();
  }

  count(char: number): void {
    const opens = char === OPEN_BRACE || char === OPEN_BRACKET;
    if (opens) this.#depth += 1;
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) this.#depth -= 1;
    if (this.#depth > MAX_JSON_DEPTH) throw malformedJson(`It is nested more than ${MAX_JSON_DEPTH} deep.`);
    if (opens || char === COMMA) this.#values += 1;
    this.#checkValues();
  }

  #checkValues(): void {
    if (this.#values + VALUES_OF_NAME * this.#names.size > MAX_VALUES) throw tooManyValues();
  }
}

const tooManyValues = (): SluicegateError =>
  new SluicegateError("limit-reached", "The JSON has too many values.", {
    why: `One document may have ${MAX_VALUES.toLocaleString("en-US")}, however long they are. After the first ${FEW_VALUES.toLocaleString("en-US")}, each different member name counts as ${VALUES_OF_NAME} more.`,
    fix: "Send less at once, or send a large table as one text.",
  });

const nameTooLong = (): SluicegateError =>
  new SluicegateError("limit-reached", "A member name in the JSON is too long.", {
    why: `As it is written, a name may have ${MAX_NAME_LENGTH.toLocaleString("en-US")} characters.`,
    fix: "Send a long text as a value.",
  });

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
/** No double needs more characters; and what is longer would take long to compare. */
const MAX_NUMBER_LENGTH = 40;
/** Decimal digits that every double keeps (`DBL_DIG` of C), but for those that are all but zero. */
const ALWAYS_EXACT = 15;
const MIN_EXACT = 1e-300;

/** Walks a text that is known to be valid JSON. */
function* assertUnambiguous(text: string, bounds: Bounds): Generator<void, void> {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; yield) {
    const end = Math.min(at + STAGE, text.length);
    for (; at < end; at += 1) at = checkNext(text, at, open, bounds);
  }
}

/** The index of the last character that was checked. */
function checkNext(text: string, at: number, open: (Set<string> | null)[], bounds: Bounds): number {
  const char = text.charCodeAt(at);
  if (char === OPEN_BRACE) open.push(new Set());
  else if (char === OPEN_BRACKET) open.push(null);
  else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) open.pop();
  else if (char === QUOTE) {
    const end = bounds.endOfString(text, at);
    checkString(text, at, end, open.at(-1) ?? null, bounds);
    return end;
  } else if (char === MINUS || (char >= 0x30 && char <= 0x39)) return endOfNumber(text, at) - 1;
  return at;
}

const HALF_OF_PAIR = /\\u[dD][89a-fA-F]/;

function checkString(
  text: string,
  start: number,
  end: number,
  keys: Set<string> | null,
  bounds: Bounds,
): void {
  const isKey = keys !== null && isFollowedByColon(text, end);
  const written = text.slice(start, end + 1);
  // INVARIANT: the text is well-formed, so only an escape can write half of a surrogate pair.
  if (!isKey && !HALF_OF_PAIR.test(written)) return;
  const value = isKey
    ? (bounds.readNames.get(written) ?? written.slice(1, -1))
    : (parseNatively(written) as string);
  if (!value.isWellFormed()) throw malformedJson("A string in it has a lone surrogate.");
  if (!isKey) return;
  if (value === "__proto__") throw malformedJson("It has a key called `__proto__`.");
  if (keys.has(value)) throw malformedJson("An object in it has the same key twice.");
  keys.add(value);
}

/** The end of the number at `start`. Its value must be the one that was written. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  let exponent = -1;
  for (let char = text.charCodeAt(end); isInNumber(char); char = text.charCodeAt(end)) {
    if (char === 0x65 || char === 0x45) exponent = end;
    end += 1;
  }
  if (exponent >= 0 || end - start > ALWAYS_EXACT) {
    checkNumber(text.slice(start, end), (exponent < 0 ? end : exponent) - start);
  }
  return end;
}

/** Whether it is a digit, or one of `-`, `+`, `.`, `e` and `E`. */
const isInNumber = (char: number): boolean =>
  (char >= 0x30 && char <= 0x39) ||
  char === POINT ||
  char === MINUS ||
  char === 0x2b ||
  char === 0x65 ||
  char === 0x45;

/** `digits`: at most so many stand before the exponent. */
function checkNumber(written: string, digits: number): void {
  const value = Number(written);
  const size = Math.abs(value);
  if (digits <= ALWAYS_EXACT && size >= MIN_EXACT && size < Number.POSITIVE_INFINITY) return;
  const short = String(value);
  if (short === written) return;
  const isExact = written.length <= MAX_NUMBER_LENGTH && digitsOf(short) === digitsOf(written);
  if (!Number.isFinite(value) || !isExact) {
    throw malformedJson("A number in it can't be kept exactly. Send it as a string.");
  }
}

/** Significant digits and exponent of a decimal number, so that 1.50, 1.5 and 15e-1 compare equal. */
function digitsOf(written: string): string {
  const [mantissa = "", exponent = "0"] = written.split(/[eE]/);
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === "" ? "0" : `${significant}e${power}`;
}
