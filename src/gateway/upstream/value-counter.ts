/**
 * Counts the values of a JSON text as its bytes go by, before anything is built from them: an answer of many values
 * costs far more than one long text of the same size.
 * THREAT: the upstream controls every byte; what isn't JSON is counted too, and turned away by the parser.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

export class ValueCounter {
  #count = 0;
  #isInString = false;
  #isEscaped = false;

  /** One for each comma and each list or object: at least as many as there are values, but for the first. */
  get count(): number {
    return this.#count;
  }

  push(bytes: Uint8Array): void {
    let count = this.#count;
    let at = this.#isInString ? this.#skipString(bytes, 0) : 0;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) at = this.#skipString(bytes, at + 1) - 1;
      else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) count += 1;
    }
    this.#count = count;
  }

  /** The index after the string that goes on at `from`, or the end. */
  #skipString(bytes: Uint8Array, from: number): number {
    this.#isInString = true;
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

  /** Begins anew, with the next text. */
  reset(): void {
    this.#count = 0;
    this.#isInString = false;
    this.#isEscaped = false;
  }
}
