/**
 * Finds the `id` of a JSON-RPC message that is too large to be built, as its bytes go by: the value of that key on
 * the top level. Keeps a few bytes, whatever the size of the message.
 * THREAT: the upstream controls every byte; a wrong answer ends the wrong call of this one server, and no other.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LONGEST_TOKEN = 128;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const COLON = 0x3a;
const COMMA = 0x2c;

export interface IdScanner {
  push(bytes: Uint8Array): void;
  /** The id, as soon as it has gone by; null before, and where there is none. */
  readonly id: string | number | null;
}

export function createIdScanner(): IdScanner {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let isValue = false;
  let key = "";
  let token = "";
  let id: string | number | null = null;

  const take = (byte: number): void => {
    if (depth === 1 && token.length < LONGEST_TOKEN) token += String.fromCharCode(byte);
  };
  const endMember = (): void => {
    if (depth === 1 && isValue && key === '"id"') id ??= toId(token);
    isValue = false;
    token = "";
  };
  const inside = (byte: number): void => {
    take(byte);
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) inString = false;
  };
  const structure = (byte: number): void => {
    if (OPENING.has(byte)) {
      depth += 1;
      if (depth === 1) token = "";
    } else if (CLOSING.has(byte)) {
      endMember();
      depth -= 1;
    } else if (depth === 1 && byte === COLON) {
      key = token.trim();
      token = "";
      isValue = true;
    } else if (depth === 1 && byte === COMMA) endMember();
    else take(byte);
  };
  return {
    push: (bytes) => {
      for (const byte of bytes) {
        if (inString) inside(byte);
        else {
          if (byte === QUOTE) inString = true;
          structure(byte);
        }
      }
    },
    get id() {
      return id;
    },
  };
}

function toId(token: string): string | number | null {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === "string" || typeof value === "number" ? value : null;
  } catch {
    return null;
  }
}
