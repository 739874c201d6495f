/**
 * `JSON.parse` without a defect of V8, which Node 24 and Chromium 153 have. A member's name that is written with an
 * escape, such as `"caf\u00e9"`, may be read as another name, `caf\`, if an object with that name was read before. So
 * whoever sends a name can change how the next document of somebody else is read.
 */

const parseNatively = JSON.parse;

/**
 * Reads one JSON document.
 * @typeParam Value what the caller knows of the document: it isn't checked
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseJson<Value = unknown>(text: string): Value {
  // It also checks the syntax, which the reader relies on.
  const value: unknown = parseNatively(text);
  return (hasEscapedName(text) ? new Reader(text).read() : value) as Value;
}

/**
 * Makes the packages of this process read documents like this too, by replacing `JSON.parse`. Only for the start of a
 * program of our own: a library leaves its host's globals alone.
 */
export function replaceJsonParse(): void {
  JSON.parse = (text: string, reviver?: Parameters<typeof parseNatively>[1]) =>
    reviver === undefined ? parseJson(String(text)) : parseNatively(text, reviver);
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
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

const BACKSLASH = 0x5c;

/** Whether the string that ends at `end` is a member's name. */
export function isFollowedByColon(text: string, end: number): boolean {
  let at = end + 1;
  while (at < text.length && " \t\r\n".includes(text[at] ?? "")) at += 1;
  return text[at] === ":";
}

/** Up to the next character that parts values. */
const SCALAR = /[^\s,\]}]+/y;
const PARTS = " \t\r\n,:";

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

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    for (let at = 0; at < this.#text.length; ) at = this.#readNext(at, this.#text[at] ?? "");
    return this.#result[0];
  }

  /** Returns the index after what it read. */
  #readNext(at: number, char: string): number {
    if (char === '"') return this.#readString(at);
    if (char === "{" || char === "[") this.#open(char === "{" ? {} : []);
    else if (char === "}" || char === "]") this.#container = this.#around.pop() ?? this.#result;
    else if (!PARTS.includes(char)) return this.#readScalar(at);
    return at + 1;
  }

  #readString(at: number): number {
    const end = endOfString(this.#text, at);
    const value: string = parseNatively(this.#text.slice(at, end + 1));
    if (!Array.isArray(this.#container) && isFollowedByColon(this.#text, end)) this.#name = value;
    else this.#add(value);
    return end + 1;
  }

  #readScalar(at: number): number {
    SCALAR.lastIndex = at;
    const [scalar = ""] = SCALAR.exec(this.#text) ?? [];
    this.#add(parseNatively(scalar));
    return at + scalar.length;
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

const ORDINARY = { configurable: true, enumerable: true, writable: true };
