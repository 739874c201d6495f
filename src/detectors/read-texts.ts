/**
 * All that an agent could read in a result, as one text, with where each part of it stands. A host's tools may give
 * anything: what can't be read through makes the whole unexamined.
 */

/** A step from a value to what it holds: a key, or a position in a list. */
export interface Step {
  readonly parent: Step | null;
  readonly at: string | number;
  /** The position of a key among its object's. */
  readonly position: number;
}

/** A part of the text: what a value says, after its key. */
export interface Part {
  readonly start: number;
  /** Where the value begins, after the key. */
  readonly value: number;
  readonly end: number;
  readonly step: Step | null;
}

export interface Texts {
  readonly text: string;
  /** In the text's order. */
  readonly parts: readonly Part[];
}

const MOST_VALUES = 200_000;
const DEEPEST = 100;
/** Numbers below say nothing that is looked for. */
const LEAST_DIGITS = 9;
/** From here on, what is base64 alone is taken for an image or a sound, which isn't looked into. */
const LEAST_BASE64 = 1024;

interface Open {
  readonly value: unknown;
  readonly step: Step | null;
  readonly depth: number;
}

/** Reads a result; null where it has more than `bytes`, or something that can't be read through. */
export function readTexts(result: unknown, bytes: number): Texts | null {
  try {
    return new Reader(bytes).read(result);
  } catch {
    // THREAT: a result's own getters and proxies may throw.
    return null;
  }
}

class Reader {
  readonly #bytes: number;
  readonly #pieces: string[] = [];
  readonly #parts: Part[] = [];
  readonly #seen = new Set<object>();
  // INVARIANT: what is opened last is read first, so what a value holds is opened last to first.
  readonly #open: Open[] = [];
  #length = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  read(result: unknown): Texts | null {
    this.#open.push({ value: result, step: null, depth: 0 });
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      this.#write(next);
      const fits = this.#length <= this.#bytes && this.#parts.length <= MOST_VALUES && next.depth <= DEEPEST;
      if (!fits || !this.#openInner(next)) return null;
    }
    const text = this.#pieces.join("");
    return Buffer.byteLength(text) > this.#bytes ? null : { text, parts: this.#parts };
  }

  #write({ value, step }: Open): void {
    const own = textOf(value);
    // A key tells what a value is: `aws_secret_access_key: …`.
    const key = typeof step?.at === "string" ? `${step.at}: ` : "";
    if (own === "" && key === "") return;
    const start = this.#length;
    this.#length += key.length + own.length + 1;
    this.#pieces.push(`${key}${own}\n`);
    this.#parts.push({ start, value: start + key.length, end: this.#length, step });
  }

  /** Opens what a value holds; false where that can't be read through. */
  #openInner({ value, step, depth }: Open): boolean {
    if (this.#isKnown(value)) return true;
    const inner = innerOf(value);
    if (inner === null || this.#open.length + inner.length > MOST_VALUES) return false;
    for (const [position, [at, child]] of [...inner.entries()].reverse()) {
      const own = at === null ? step : { parent: step, at, position };
      this.#open.push({ value: child, step: own, depth: depth + 1 });
    }
    return true;
  }

  /** Whether an object was read already: it may hold itself. */
  #isKnown(value: unknown): boolean {
    if (typeof value !== "object" || value === null) return false;
    if (this.#seen.has(value)) return true;
    this.#seen.add(value);
    return false;
  }
}

function textOf(value: unknown): string {
  if (typeof value === "string") return isBinary(value) ? "" : value;
  if (typeof value !== "number" && typeof value !== "bigint") return "";
  const digits = String(value);
  return digits.length >= LEAST_DIGITS ? digits : "";
}

/** Images and sounds aren't decoded; what holds one word or sign of a text is no such thing. */
const isBinary = (text: string): boolean =>
  text.length >= LEAST_BASE64 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

type Inner = readonly (readonly [at: string | number | null, value: unknown])[];

/** What a value holds; null where that can't be known without using it up or waiting for it. */
function innerOf(value: unknown): Inner | null {
  if (typeof value === "string") return innerJson(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (value instanceof Map) return [...value].map(([key, item]) => [typeof key === "string" ? key : 0, item]);
  if (value instanceof Set) return [...value].map((item, index) => [index, item]);
  if (isLive(value)) return null;
  const shown =
    "toJSON" in value && typeof value.toJSON === "function" ? [[null, value.toJSON()] as const] : [];
  const error = value instanceof Error ? errorTexts(value) : [];
  return [...error, ...shown, ...Object.entries(value)];
}

/** An error's own words, which no list of its keys has. Its stack begins with them and goes on with our code. */
const errorTexts = ({ name, message, cause }: Error): Inner => [
  ["name", name],
  ["message", message],
  ["cause", cause],
];

/** A promise, a stream or an iterator. */
const isLive = (value: object): boolean =>
  "then" in value || "getReader" in value || Symbol.asyncIterator in value || "next" in value;

/** A text that is JSON with JSON inside: there, quotation marks are escaped, and nothing would be recognised. */
function innerJson(text: string): Inner {
  if (!text.includes('\\"') || !/^\s*[{[]/.test(text)) return [];
  try {
    return [[null, JSON.parse(text)]];
  } catch {
    return [];
  }
}
