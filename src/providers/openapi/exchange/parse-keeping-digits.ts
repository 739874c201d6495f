/** Parses JSON without losing digits of large numbers. */
import { parseJson } from "../../../json/parse-json.ts";

/** A text without such a number is parsed only once. */
const MAY_BE_TOO_LARGE = /\d{16}|\de\+?\d{3}/i;

/**
 * The value of a JSON text, where an integer that a number can't hold exactly becomes a text of its digits; so does
 * one that is too large. THREAT: a server may send hundreds of thousands of them. A reviver would take seconds, and
 * nothing else runs meanwhile, so the text is scanned once instead.
 * @throws SyntaxError for invalid JSON.
 */
export function parseKeepingDigits(text: string): unknown {
  const value: unknown = parseJson(text);
  if (!MAY_BE_TOO_LARGE.test(text)) return value;
  // INVARIANT: the text is JSON, so a digit outside of a string begins a number.
  return parseJson(quoteLargeNumbers(text));
}

function quoteLargeNumbers(text: string): string {
  let quoted = "";
  let written = 0;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === QUOTE) at = endOfText(text, at);
    if (mark !== MINUS && !isDigit(mark)) continue;
    const end = endOfNumber(text, at);
    const source = text.slice(at, end);
    if (isTooLarge(Number(source))) {
      quoted += `${text.slice(written, at)}"${source}"`;
      written = end;
    }
    at = end - 1;
  }
  return quoted + text.slice(written);
}

const [QUOTE, BACKSLASH, MINUS, PLUS, POINT] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e];

const isDigit = (mark: number): boolean => mark >= 0x30 && mark <= 0x39;
const isOfNumber = (mark: number): boolean =>
  isDigit(mark) ||
  mark === MINUS ||
  mark === PLUS ||
  mark === POINT ||
  // INVARIANT: this bit turns `E` into `e`, and changes no other character of a number.
  (mark | 0x20) === 0x65;

/** The position of the closing quotation mark. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** The position after the number. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

const isTooLarge = (value: number): boolean => !Number.isSafeInteger(value) && !isFraction(value);

const isFraction = (value: number): boolean => Number.isFinite(value) && !Number.isInteger(value);
