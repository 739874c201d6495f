/**
 * All that an agent could read in a result, as one text, with where each part of it stands. Results are JSON. A host's
 * tools may give anything, and what JSON wouldn't have all of makes the whole unexamined.
 */
import { isUtf8 } from "node:buffer";

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
  /** What it stands in. */
  readonly parent: Step | null;
  /** Where it stands there; undefined: it is the whole of it. */
  readonly at: string | number | undefined;
  readonly position: number;
}

export interface Texts {
  readonly text: string;
  /** In the text's order. */
  readonly parts: readonly Part[];
}

const MAX_VALUES = 200_000;
const MAX_DEPTH = 100;
/** Numbers below say nothing that is looked for. */
const MIN_DIGITS = 9;
/** From here on, what is base64 alone is taken for an image or a sound, which isn't inspected. */
const LEAST_BASE64 = 1024;

/** What is still to be read. */
interface Open {
  readonly value: object;
  readonly step: Step | null;
  readonly depth: number;
}

/** Reads a result; null if it has more than `bytes`, or something that can't be read through. */
export function readTexts(result: unknown, bytes: number): Texts | null {
  try {
    return new Reader(bytes).read(result);
  } catch {
    // It is no JSON, or its own getters throw.
    return null;
  }
}

export const stepOf = ({ parent, at, position }: Part): Step | null =>
  at === undefined ? parent : { parent, at, position };

class Reader {
  readonly #bytes: number;
  readonly #parts: Part[] = [];
  readonly #seen = new Set<object>();
  // INVARIANT: what is opened last is read first, so what a value holds is opened last to first.
  readonly #open: Open[] = [];
  #text = "";

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  read(result: unknown): Texts | null {
    this.#take(result, undefined, 0, { step: null, depth: 0 });
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      if (!this.#openInner(next) || !this.#fits()) return null;
    }
    return this.#fits() && Buffer.byteLength(this.#text) <= this.#bytes
      ? { text: this.#text, parts: this.#parts }
      : null;
  }

  #fits(): boolean {
    const many = Math.max(this.#parts.length, this.#open.length, this.#seen.size);
    return this.#text.length <= this.#bytes && many <= MAX_VALUES;
  }

  /** Takes what a value holds; false if that can't be read through. */
  #openInner(open: Open): boolean {
    const { value, depth } = open;
    if (depth > MAX_DEPTH) return false;
    // It may hold itself.
    if (this.#seen.has(value)) return true;
    this.#seen.add(value);
    const before = this.#open.length;
    this.#takeHeld(value, open);
    reverseFrom(this.#open, before);
    return true;
  }

  #takeHeld(value: object, holder: Open): void {
    const held = jsonOf(value, holder.step?.at);
    if (typeof held === "string") this.#take(held, undefined, 0, holder);
    else if (Array.isArray(held)) {
      if (held.length > MAX_VALUES) throw new TypeError("Too many items.");
      for (let at = 0; at < held.length; at += 1) this.#take(held[at], at, at, holder);
    } else {
      let position = 0;
      for (const key of Object.keys(held)) this.#take(Reflect.get(held, key), key, position++, holder);
    }
  }

  /** Writes a value, and opens it where it holds something: what holds nothing costs no more than its text. */
  #take(
    value: unknown,
    at: string | number | undefined,
    position: number,
    { step: parent, depth }: Pick<Open, "step" | "depth">,
  ): void {
    const own = textOf(value);
    // A key tells what a value is: `aws_secret_access_key: …`.
    const key = typeof at === "string" ? `${at}: ` : "";
    if (own !== "" || key !== "") {
      const start = this.#text.length;
      this.#text += `${key}${own}\n`;
      this.#parts.push({ start, value: start + key.length, end: this.#text.length, parent, at, position });
    }
    if (typeof value === "function" || typeof value === "symbol") throw new TypeError("It is no JSON.");
    if (typeof value !== "object" || value === null) return;
    const step = at === undefined ? parent : { parent, at, position };
    this.#open.push({ value, step, depth: depth + 1 });
  }
}

function reverseFrom(list: Open[], start: number): void {
  for (let [low, high] = [start, list.length - 1]; low < high; low += 1, high -= 1) {
    const [one, other] = [list[low], list[high]];
    if (one && other) [list[low], list[high]] = [other, one];
  }
}

function textOf(value: unknown): string {
  if (typeof value === "string") return isBinary(value) ? "" : value;
  if (typeof value !== "number" && typeof value !== "bigint") return "";
  const digits = String(value);
  return digits.length >= MIN_DIGITS ? digits : "";
}

/** Images and sounds aren't decoded; what holds one word or sign of a text is no such thing. */
const isBinary = (text: string): boolean =>
  text.length >= LEAST_BASE64 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

/** What JSON would have of an object: a list, a record or a text. Throws if that isn't all of it. */
function jsonOf(value: object, at: string | number | undefined): object | string {
  if (isPlain(value)) return value;
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) && isUtf8(value) ? value.toString() : "";
  if (value instanceof Error || kindOf(value) === "[object Error]") return recordOfError(value);
  const toJson: unknown = Reflect.get(value, "toJSON");
  if (typeof toJson !== "function") throw new TypeError("It is no JSON.");
  const json: unknown = Reflect.apply(toJson, value, [String(at ?? "")]);
  if (typeof json !== "object" || json === null) return String(json);
  if (isPlain(json)) return json;
  throw new TypeError("It is no JSON.");
}

/** What of an object may show it in another way than by its own properties. */
interface Showing {
  readonly toJSON?: unknown;
  readonly toString: unknown;
  readonly then?: unknown;
  readonly [Symbol.iterator]?: unknown;
  readonly [Symbol.asyncIterator]?: unknown;
  readonly [Symbol.toPrimitive]?: unknown;
}

/** Whether it is a list, or an object that is shown by its own properties alone; any key may be one of these names. */
const isPlain = (value: Showing): boolean =>
  Array.isArray(value) ||
  (typeof value.toJSON !== "function" &&
    (typeof value.toString !== "function" || value.toString === Object.prototype.toString) &&
    typeof value.then !== "function" &&
    value[Symbol.iterator] === undefined &&
    value[Symbol.asyncIterator] === undefined &&
    value[Symbol.toPrimitive] === undefined &&
    (Object.getPrototypeOf(value) === Object.prototype || kindOf(value) === "[object Object]"));

const kindOf = (value: unknown): string => Object.prototype.toString.call(value);

/** An error is known by what no list of its keys has. Its stack begins with its message and goes on with our code. */
function recordOfError(error: object): object {
  const own = Object.getOwnPropertyNames(error).filter((key) => key !== "stack");
  const entries = ["name", "message", "cause", ...own].map((key): [string, unknown] => [
    key,
    Reflect.get(error, key),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => typeof value !== "function"));
}
