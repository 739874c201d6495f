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
      this.#write(next.value, next.step);
      const fits = this.#length <= this.#bytes && this.#parts.length <= MOST_VALUES && next.depth <= DEEPEST;
      if (!fits || !this.#openInner(next)) return null;
    }
    const text = this.#pieces.join("");
    const fits = Buffer.byteLength(text) <= this.#bytes && this.#parts.length <= MOST_VALUES;
    return fits ? { text, parts: this.#parts } : null;
  }

  #write(value: unknown, step: Step | null): void {
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
    if (holdsNothing(value)) return true;
    if (this.#isKnown(value)) return true;
    const inner = innerOf(value);
    if (inner === null || this.#open.length + inner.values.length > MOST_VALUES) return false;
    const { keys, values } = inner;
    const nested: Open[] = [];
    for (let position = 0; position < values.length; position += 1) {
      const child = values[position];
      const at = keys === null ? position : keys[position];
      const own = at === undefined ? step : { parent: step, at, position };
      // What holds nothing is written at once, which spares most of the work for a table.
      if (holdsNothing(child)) this.#write(child, own);
      else nested.push({ value: child, step: own, depth: depth + 1 });
    }
    for (let next = nested.pop(); next !== undefined; next = nested.pop()) this.#open.push(next);
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

/** Values, each under its key or, without keys, its position; one without either stands where its holder does. */
interface Inner {
  readonly keys: readonly (string | undefined)[] | null;
  readonly values: readonly unknown[];
}

const NO_VALUES: Inner = Object.freeze({ keys: null, values: Object.freeze([]) });

/** What a value holds; null where that can't be known without using it up or waiting for it. */
function innerOf(value: unknown): Inner | null {
  if (typeof value === "string") return innerJson(value);
  if (Array.isArray(value)) return { keys: null, values: value };
  if (typeof value !== "object" || value === null) return NO_VALUES;
  const keys = Object.keys(value);
  const values = keys.map((key): unknown => Reflect.get(value, key));
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  if (isPlain && typeof Reflect.get(value, "toJSON") !== "function" && !isLive(value))
    return { keys, values };
  return innerOfInstance(value, { keys, values });
}

/** What an object of some class shows: by itself, as JSON, and what no list of its keys has. */
function innerOfInstance(value: object, { keys, values }: Required<Inner>): Inner | null {
  if (ArrayBuffer.isView(value)) return NO_VALUES;
  if (value instanceof Set) return { keys: null, values: [...value] };
  if (value instanceof Map) {
    const named = [...value.keys()].map((key) => (typeof key === "string" ? key : undefined));
    return { keys: named, values: [...value.values()] };
  }
  if (isLive(value)) return null;
  const shown = "toJSON" in value && typeof value.toJSON === "function" ? [value.toJSON()] : [];
  // An error's stack begins with its message and goes on with our code.
  const words = value instanceof Error ? [value.name, value.message, value.cause] : [];
  const wordKeys = words.length > 0 ? ["name", "message", "cause"] : [];
  return {
    keys: [...wordKeys, ...shown.map(() => undefined), ...(keys ?? [])],
    values: [...words, ...shown, ...values],
  };
}

/** A promise, a stream or an iterator. */
const isLive = (value: object): boolean =>
  "then" in value || "getReader" in value || Symbol.asyncIterator in value || "next" in value;

const holdsNothing = (value: unknown): boolean =>
  typeof value === "string" ? !mayHoldJson(value) : typeof value !== "object" || value === null;

/** Whether a text may be JSON with JSON inside: there, quotation marks are escaped, and nothing is recognised. */
const mayHoldJson = (text: string): boolean => text.includes('\\"') && /^\s*[{[]/.test(text);

function innerJson(text: string): Inner {
  try {
    return { keys: [undefined], values: [JSON.parse(text)] };
  } catch {
    return NO_VALUES;
  }
}
