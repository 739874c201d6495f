/**
 * Finds the `id` of a JSON-RPC message that is too large to be built, as its bytes go by: the value of that key on
 * the top level. Keeps a few bytes, whatever the size of the message.
 * THREAT: the upstream controls every byte; a wrong answer ends the wrong call of this one server, and no other.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;
const LONGEST_TOKEN = 128;

export class IdScanner {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #key = "";
  #token = "";
  #id: string | number | null = null;

  /** The id, as soon as it has gone by; null before, and where there is none. */
  get id(): string | number | null {
    return this.#id;
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const start = at;
      const wasInString = this.#isInString;
      at = wasInString ? this.#skipString(bytes, at) : this.#skipPlain(bytes, at);
      if (this.#depth === 1) this.#keep(bytes, start, at);
      if (!wasInString && !this.#isInString && at < bytes.length) this.#structure(bytes[at++]);
    }
  }

  /** The index after the string that goes on at `at`, or the end. */
  #skipString(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#isInString = false;
        return at + 1;
      }
    }
    return bytes.length;
  }

  /** The index after the next quote, or that of the next sign that opens, closes or parts something. */
  #skipPlain(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#isInString = true;
        return at + 1;
      }
      if (byte === COMMA || byte === COLON || isBracket(byte)) return at;
    }
    return bytes.length;
  }

  #structure(byte: number | undefined): void {
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#depth += 1;
      if (this.#depth === 1) this.#token = "";
      return;
    }
    if (this.#depth === 1 && byte === COLON) this.#key = this.#token.trim();
    else if (this.#depth === 1 && this.#key === '"id"') this.#id ??= toId(this.#token);
    if (this.#depth === 1) this.#token = "";
    if (this.#depth === 1 && byte !== COLON) this.#key = "";
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth -= 1;
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    const room = LONGEST_TOKEN - this.#token.length;
    if (room > 0) this.#token += bytes.toString("latin1", start, Math.min(end, start + room));
  }
}

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
