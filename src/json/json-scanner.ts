/**
 * Reads a JSON-RPC message as its bytes go by, before anything is built of it: how many values it has, since many
 * values cost far more than one long text of the same size, and many different names several times as much again; and
 * its `id`, the value of that key on the top level. Keeps as many names as it counts, and few bytes besides.
 * THREAT: the upstream controls every byte. A wrong id ends the wrong call of this one server, and no other; what isn't
 * JSON is counted too, and refused by the parser.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;
const MAX_TOKEN_LENGTH = 128;

/** Names aren't counted before: a message of so few values has few names too. */
export const FEW_VALUES = 2_000;
/** A name that wasn't there before counts as so many values: the parser builds objects anew for each. */
export const VALUES_OF_NAME = 12;

/**
 * Characters of a name as it is written. V8 hashes longer strings than 16,383 characters by their length alone, so it
 * compares each such name with all others that are as long: 250 of them took it seconds.
 */
export const MAX_NAME_LENGTH = 16_000;

export class JsonScanner {
  readonly #maxValues: number;
  #values = 0;
  #depth = 0;
  #isList = false;
  #items = 0;
  #isInString = false;
  #isEscaped = false;
  #key = "";
  #token = "";
  #id: string | number | null = null;
  readonly #names = new Set<string>();
  /** The latest text: what went by of it in earlier pieces, and where it stands in this one. */
  #text = "";
  #textStart = 0;
  #textEnd = 0;
  /** How many bytes of it went by in earlier pieces. */
  #textBefore = 0;

  /** `maxValues`: beyond these, names aren't counted any more. */
  constructor(maxValues = 0) {
    this.#maxValues = maxValues;
  }

  /** The id, as soon as it has gone by; null before, and if there is none. */
  get id(): string | number | null {
    return this.#id;
  }

  /**
   * One for each comma and each list or object: at least as many as there are values, but for the first. Behind the first
   * 2,000, twelve more for each different name of a member. Infinite after a name that is too long.
   */
  get values(): number {
    return this.#values + VALUES_OF_NAME * this.#names.size;
  }

  /** Items of a text that is a list, but for the last. */
  get items(): number {
    return this.#items;
  }

  push(piece: Uint8Array): void {
    const bytes = asBuffer(piece);
    this.#textStart = 0;
    this.#textEnd = 0;
    for (let at = 0; at < bytes.length; ) {
      const start = at;
      const wasInString = this.#isInString;
      at = wasInString ? this.#skipString(bytes, at) : this.#skipPlain(bytes, at);
      if (this.#depth === 1) this.#keep(bytes, start, at);
      if (bytes[at] === COLON && !this.#isInString) this.#countName(bytes);
      if (!wasInString && !this.#isInString && at < bytes.length) this.#structure(bytes[at++]);
    }
    if (this.#isInString) this.#textEnd = bytes.length;
    if (this.#countsNames()) this.#text = this.#latestText(bytes);
    this.#textBefore += this.#textEnd - this.#textStart;
  }

  #countsNames(): boolean {
    return this.#values > FEW_VALUES && this.values <= this.#maxValues;
  }

  #countName(bytes: Buffer): void {
    const length = this.#textBefore + this.#textEnd - this.#textStart;
    if (length > MAX_NAME_LENGTH) this.#values = Number.POSITIVE_INFINITY;
    if (this.#countsNames()) this.#names.add(this.#latestText(bytes));
  }

  #latestText(bytes: Buffer): string {
    const latest = bytes.toString("latin1", this.#textStart, this.#textEnd);
    return this.#text === "" ? latest : this.#text + latest;
  }

  /**
   * The index after the string that goes on at `at`, or the end.
   * THREAT: lines of an event stream that are no message may hold an odd quote. No string of JSON has a line break.
   */
  #skipString(bytes: Buffer, from: number): number {
    let at = this.#isEscaped && !isLineBreak(bytes[from]) ? from + 1 : from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === BACKSLASH && !isLineBreak(bytes[at + 1])) at += 1;
      else if (byte === QUOTE || isLineBreak(byte)) {
        this.#isInString = false;
        this.#textEnd = at;
        break;
      }
    }
    // The sign after a backslash may be the first of the next piece.
    this.#isEscaped = this.#isInString && at > bytes.length;
    return Math.min(at + 1, bytes.length);
  }

  /** The index after the next quote, or that of the next sign that opens, closes or parts something. */
  #skipPlain(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#isInString = true;
        this.#text = "";
        this.#textBefore = 0;
        this.#textStart = at + 1;
        return at + 1;
      }
      if (byte === COMMA || byte === COLON || isBracket(byte)) return at;
    }
    return bytes.length;
  }

  #structure(byte: number | undefined): void {
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#values += 1;
      this.#depth += 1;
      if (this.#depth === 1) {
        this.#token = "";
        this.#isList = byte === OPEN_BRACKET;
      }
      return;
    }
    if (byte === COMMA) this.#countComma();
    if (this.#depth === 1 && byte === COLON) this.#key = this.#token.trim();
    else if (this.#depth === 1 && this.#key === '"id"') this.#id ??= toId(this.#token);
    if (this.#depth === 1) this.#token = "";
    if (this.#depth === 1 && byte !== COLON) this.#key = "";
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth -= 1;
  }

  #countComma(): void {
    this.#values += 1;
    if (this.#depth === 1 && this.#isList) this.#items += 1;
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    const room = MAX_TOKEN_LENGTH - this.#token.length;
    if (room > 0) this.#token += bytes.toString("latin1", start, Math.min(end, start + room));
  }
}

/** Whether a name in it is longer than `MAX_NAME_LENGTH`. */
export function hasLongName(json: Uint8Array): boolean {
  const scanner = new JsonScanner();
  scanner.push(json);
  return scanner.values === Number.POSITIVE_INFINITY;
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const isLineBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

const isBracket = (byte: number | undefined): boolean =>
  byte === OPEN_BRACKET || byte === OPEN_BRACE || byte === CLOSE_BRACKET || byte === CLOSE_BRACE;

function toId(token: string): string | number | null {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === "string" || typeof value === "number" ? value : null;
  } catch {
    return null;
  }
}
