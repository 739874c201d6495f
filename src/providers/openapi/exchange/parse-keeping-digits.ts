/** JSON with the digits of numbers that none of ours can hold. */

/** What may be such a number; a text without it is parsed once. */
const MAY_BE_TOO_LARGE = /\d{16}|\de\+?\d{3}/i;

/**
 * The value of a JSON text, where an integer that no number can hold exactly is a text of its digits; so is what none
 * can hold at all.
 * THREAT: a server may send hundreds of thousands of them. A reviver takes seconds for that, and nothing else runs
 * meanwhile; the text is gone through once instead.
 * @throws SyntaxError for what isn't JSON.
 */
export function parseKeepingDigits(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAY_BE_TOO_LARGE.test(text)) return value;
  // INVARIANT: the text is JSON, so what begins like a number outside of a text is one.
  return JSON.parse(quoteLargeNumbers(text));
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
  // INVARIANT: with this bit a capital `E` is a small one, and nothing else of a number is.
  (mark | 0x20) === 0x65;

/** Where the text that begins here has its last quotation mark. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** Behind the number that begins here. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

const isTooLarge = (value: number): boolean => !Number.isSafeInteger(value) && !isFraction(value);

const isFraction = (value: number): boolean => Number.isFinite(value) && !Number.isInteger(value);
