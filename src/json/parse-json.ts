/**
 * `JSON.parse` without a defect of V8, which Node 24 and Chromium 153 have. A member's name that is written with an
 * escape, such as `"caf\u00e9"`, may be read as another name, `caf\`, if an object with that name was read before. So
 * whoever sends a name can change how the next document of somebody else is read.
 */

/** `JSON.parse` itself, whatever replaces it later. */
export const parseNatively = JSON.parse;

/**
 * Reads one JSON document.
 * @typeParam Value what the caller knows of the document: it isn't checked
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseJson<Value = unknown>(text: string): Value {
  // It also checks the syntax, which `readInStages` relies on.
  const value: unknown = parseNatively(text);
  return (hasEscapedName(text) ? toEnd(readInStages(text, new Map())) : value) as Value;
}

/**
 * Reads a document whose syntax is known to be valid, with each name as it is written, and stops after each
 * `STAGE` characters so that the caller may let others work.
 * @param names receives what its names say, by how they are written, with their quotes
 */
export const readInStages = (text: string, names: Map<string, string>): Generator<void, unknown> =>
  new Reader(text, names).read();

/** Characters of JSON that take a few milliseconds at worst, if they are read one by one. */
export const STAGE = 32 * 1024;

/** The result of work in stages that is done at once. */
export function toEnd<Result>(stages: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = stages.next();
    if (done) return value;
  }
}

/**
 * Makes the packages of this process or page read documents like this too, by replacing `JSON.parse` and the `json` of
 * responses. Only for the start of a program of our own: a library leaves its host's globals alone.
 */
export function replaceJsonParse(): void {
  JSON.parse = (text: string, reviver?: Parameters<typeof parseNatively>[1]) =>
    reviver === undefined ? parseJson(String(text)) : parseNatively(text, reviver);
  Object.defineProperty(Response.prototype, "json", {
    ...ORDINARY,
    value: async function (this: Response) {
      return parseJson(await this.text());
    },
  });
}

/** Whether a member's name has an escape. The text need not be valid. */
export function hasEscapedName(text: string): boolean {
  let end = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", end)) {
    // INVARIANT: it is the first backslash of its string, so that string begins at the quote before.
    end = endOfString(text, text.lastIndexOf('"', at));
    if (isFollowedByColon(text, end)) return true;
  }
  return false;
}

/** The index of the quote that ends the string beginning at `start`, or the length of the text. */
export function endOfString(text: string, start: number): number {
  const first = text.indexOf('"', start + 1);
  if (first < 0) return text.length;
  let escapes = 0;
  while (text.charCodeAt(first - 1 - escapes) === BACKSLASH) escapes += 1;
  if (escapes % 2 === 0) return first;
  // Of many escaped quotes, a search for each would take several times as long.
  for (let at = first + 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) return at;
    if (char === BACKSLASH) at += 1;
  }
  return text.length;
}

/** Whether the string that ends at `end` is a member's name. */
export function isFollowedByColon(text: string, end: number): boolean {
  let at = end + 1;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

const isBlank = (char: number): boolean => char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

type Container = unknown[] | Record<string, unknown>;

/** Reads a document whose syntax is known to be valid. It isn't recursive, so a document may be deep. */
class Reader {
  readonly #text: string;
  readonly #result: unknown[] = [];
  /** The list or object that is being read, and those around it. */
  #container: Container = this.#result;
  readonly #around: Container[] = [];
  /** Of the next member. */
  #name = "";
  readonly #names: Map<string, string>;

  constructor(text: string, names: Map<string, string>) {
    this.#text = text;
    this.#names = names;
  }

  *read(): Generator<void, unknown> {
    for (let at = 0; at < this.#text.length; yield) {
      const end = Math.min(at + STAGE, this.#text.length);
      while (at < end) at = this.#readNext(at, this.#text.charCodeAt(at));
    }
    return this.#result[0];
  }

  /** Returns the index after what it read. */
  #readNext(at: number, char: number): number {
    if (char === COMMA || char === COLON || isBlank(char)) return at + 1;
    if (char === QUOTE) return this.#readString(at);
    if (char === OPEN_BRACE || char === OPEN_BRACKET) this.#open(char === OPEN_BRACE ? {} : []);
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET)
      this.#container = this.#around.pop() ?? this.#result;
    else return this.#readScalar(at);
    return at + 1;
  }

  #readString(at: number): number {
    const end = endOfString(this.#text, at);
    const written = this.#text.slice(at, end + 1);
    if (!Array.isArray(this.#container) && isFollowedByColon(this.#text, end))
      this.#name = this.#readName(written);
    // A slice would keep the whole text in memory.
    else this.#add(parseNatively(written));
    return end + 1;
  }

  /** The same names stand in many objects. */
  #readName(written: string): string {
    const name = this.#names.get(written) ?? parseNatively(written);
    this.#names.set(written, name);
    return name;
  }

  #readScalar(at: number): number {
    let end = at + 1;
    while (end < this.#text.length && !endsScalar(this.#text.charCodeAt(end))) end += 1;
    const written = this.#text.slice(at, end);
    const constant = CONSTANTS.get(written);
    this.#add(constant === undefined ? Number(written) : constant);
    return end;
  }

  #open(inner: Container): void {
    this.#add(inner);
    this.#around.push(this.#container);
    this.#container = inner;
  }

  #add(value: unknown): void {
    const container = this.#container;
    if (Array.isArray(container)) container.push(value);
    // An assignment would set the prototype.
    else if (this.#name === "__proto__")
      Object.defineProperty(container, "__proto__", { value, ...ORDINARY });
    else container[this.#name] = value;
  }
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

const endsScalar = (char: number): boolean =>
  char === COMMA || char === CLOSE_BRACE || char === CLOSE_BRACKET || isBlank(char);

/** How an assignment would set a member. */
export const ORDINARY = { configurable: true, enumerable: true, writable: true };
