/** JSON that is written in pieces, so that a long value holds the event loop no longer than a short one. */
import { roughLength } from "./measure-json.ts";

/** Characters of a piece, or parts of it; the last one may have fewer, and the escapes of a text more. */
const PIECE = 64 * 1024;
const PARTS = 4000;
/** A longer text is written in parts. */
const LONG_TEXT = 16 * 1024;
/** What is smaller is written at once. */
const SMALL = 16 * 1024;

/** The text of `JSON.stringify(value)` in pieces, of which none ends within a character. A short value has one. */
export function* jsonPieces(value: unknown): Generator<string, void> {
  if (roughLength(value, SMALL) <= SMALL) {
    yield JSON.stringify(value) ?? "null";
    return;
  }
  let [piece, parts] = ["", 0];
  for (const part of partsOf(value)) {
    piece += part;
    parts += 1;
    if (piece.length < PIECE && parts < PARTS) continue;
    yield piece;
    [piece, parts] = ["", 0];
  }
  if (piece !== "") yield piece;
}

/** Not recursive: a value may be deep, and each part would pass through all levels around it. */
function* partsOf(value: unknown): Generator<string, void> {
  const open: Open[] = [];
  for (let next = toPlain(value, ""); ; ) {
    if (typeof next === "string" && next.length > LONG_TEXT) yield* partsOfText(next);
    else yield begin(next, open);
    const ends = endThose(open);
    const inner = open.at(-1);
    yield ends + (inner?.before ?? "");
    if (inner === undefined) return;
    if (inner.name !== null) yield* partsOfName(inner.name);
    next = inner.value;
  }
}

/** A value, or the beginning of a list or an object, which is open then. */
function begin(value: unknown, open: Open[]): string {
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const inner = new Open(value);
  open.push(inner);
  return inner.start;
}

/** Ends those that have no further item; the innermost of the others is at its next one. */
function endThose(open: Open[]): string {
  let ends = "";
  for (let inner = open.at(-1); inner !== undefined && !inner.advance(); inner = open.at(-1)) {
    ends += inner.end;
    open.pop();
  }
  return ends;
}

/** A list or an object that is being written, and its present item. */
class Open {
  readonly start: string;
  readonly end: string;
  /** What stands before the item's name and value. */
  before = "";
  /** Of the item; null in a list. */
  name: string | null = null;
  value: unknown;
  readonly #container: Readonly<Record<number | string, unknown>>;
  /** Null for a list. */
  readonly #names: readonly string[] | null;
  readonly #length: number;
  #at = -1;
  #isEmpty = true;

  constructor(container: Readonly<Record<string, unknown>>) {
    const list: readonly unknown[] | null = Array.isArray(container) ? container : null;
    this.#container = container;
    this.#names = list ? null : Object.keys(container);
    this.#length = list?.length ?? this.#names?.length ?? 0;
    [this.start, this.end] = list ? ["[", "]"] : ["{", "}"];
  }

  /** To the next item that has a value; false at the end. */
  advance(): boolean {
    for (this.#at += 1; this.#at < this.#length; this.#at += 1) {
      const name = this.#names?.[this.#at];
      this.value = toPlain(this.#container[name ?? this.#at], name ?? `${this.#at}`);
      if (name !== undefined && this.value === undefined) continue;
      this.before = this.#isEmpty ? "" : ",";
      this.name = name ?? null;
      this.#isEmpty = false;
      return true;
    }
    return false;
  }
}

/** A value as JSON has it; undefined where it has none. */
function toPlain(value: unknown, name: string): unknown {
  const plain = isObject(value) && typeof value.toJSON === "function" ? value.toJSON(name) : value;
  return typeof plain === "function" || typeof plain === "symbol" ? undefined : plain;
}

function* partsOfName(name: string): Generator<string, void> {
  if (name.length > LONG_TEXT) yield* partsOfText(name);
  else yield JSON.stringify(name);
  yield ":";
}

function* partsOfText(text: string): Generator<string, void> {
  yield '"';
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + LONG_TEXT, text.length);
    if (isWithinCharacter(text, to)) to += 1;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
  }
  yield '"';
}

const isWithinCharacter = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
