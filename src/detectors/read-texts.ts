/**
 * All that an agent could read in a result, as one text, with where each part of it stands. A host's tools may give
 * anything: what can't be read through makes the whole unexamined.
 */
import { isList, isRecord, shownBy } from "./shown-by.ts";

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
const DEEPEST = 100;
/** Numbers below say nothing that is looked for. */
const LEAST_DIGITS = 9;
/** From here on, what is base64 alone is taken for an image or a sound, which isn't looked into. */
const LEAST_BASE64 = 1024;

/** What is still to be read. */
interface Open {
  readonly value: object;
  readonly step: Step | null;
  readonly depth: number;
}

/** Reads a result; null where it has more than `bytes`, or something that can't be read through. */
export function readTexts(result: unknown, bytes: number): Texts | null {
  // What a function gives isn't known before it is called.
  if (typeof result === "function") return null;
  try {
    return new Reader(bytes).read(result);
  } catch {
    // THREAT: a result's own getters and proxies may throw.
    return null;
  }
}

/** The step to a part. */
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

  /** Takes what a value holds; false where that can't be read through. */
  #openInner(open: Open): boolean {
    const { value, depth } = open;
    if (depth > DEEPEST) return false;
    // It may hold itself.
    if (this.#seen.has(value)) return true;
    this.#seen.add(value);
    const before = this.#open.length;
    if (!this.#takeHeld(value, open)) return false;
    reverseFrom(this.#open, before);
    return true;
  }

  #takeHeld(value: object, holder: Open): boolean {
    if (isList(value)) {
      if (value.length > MAX_VALUES) return false;
      for (let at = 0; at < value.length; at += 1) this.#take(value[at], at, at, holder);
      return true;
    }
    if (isRecord(value)) {
      let position = 0;
      for (const key of Object.keys(value)) this.#take(value[key], key, position++, holder);
      return true;
    }
    const shown = shownBy(value, holder.step?.at, MAX_VALUES);
    shown?.forEach(({ at, value: inner }, position) => void this.#take(inner, at, position, holder));
    return shown !== null;
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
    if (!isObject(value)) return;
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
  if (typeof value === "symbol") return value.description ?? "";
  if (typeof value !== "number" && typeof value !== "bigint") return "";
  const digits = String(value);
  return digits.length >= LEAST_DIGITS ? digits : "";
}

/** Images and sounds aren't decoded; what holds one word or sign of a text is no such thing. */
const isBinary = (text: string): boolean =>
  text.length >= LEAST_BASE64 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";
