/**
 * What an object shows that is more than a list or a record of plain data: all that `JSON.stringify`, `String` or a loop
 * would make of it, and what an error is known by.
 */
import { isUtf8 } from "node:buffer";
import { types } from "node:util";

/** A value under its key or at its position; one without either stands where its holder does. */
export interface Shown {
  readonly at: string | number | undefined;
  readonly value: unknown;
}

/** What of an object decides how it is shown, or whether it can be read at all. */
interface Deciding {
  readonly then?: unknown;
  readonly next?: unknown;
  readonly getReader?: unknown;
  readonly arrayBuffer?: unknown;
  readonly toJSON?: unknown;
  readonly join?: unknown;
  readonly toString: unknown;
  readonly valueOf: unknown;
  readonly [Symbol.iterator]?: unknown;
  readonly [Symbol.asyncIterator]?: unknown;
  readonly [Symbol.toPrimitive]?: unknown;
}

/** Whether an object shows its own properties and nothing else, as what was parsed from JSON does. */
export function isRecord(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return isUsual(value, Object.prototype) && !(Symbol.toStringTag in value);
}

/** Whether an object shows its items and nothing else. */
export const isList = (value: object): value is readonly unknown[] =>
  Array.isArray(value) && isUsual(value, Array.prototype);

/** Whether nothing is deciding in it but what its kind has: any key may be one of these names in plain data. */
const isUsual = (value: Deciding, kind: Deciding): boolean =>
  // One by one, since each object of a result goes through here and a loop takes twice as long.
  isData(value.then) &&
  isData(value.next) &&
  isData(value.getReader) &&
  isData(value.arrayBuffer) &&
  isData(value.toJSON) &&
  isData(value[Symbol.asyncIterator]) &&
  isData(value[Symbol.toPrimitive]) &&
  isData(value.join, kind.join) &&
  isData(value.toString, kind.toString) &&
  isData(value.valueOf, kind.valueOf) &&
  isData(value[Symbol.iterator], kind[Symbol.iterator]);

const isData = (value: unknown, usual?: unknown): boolean => typeof value !== "function" || value === usual;

/**
 * What any other object shows, with `at` being where it stands; null where that can't be known without using it up or
 * waiting for it, or where it is more than `most`.
 */
export function shownBy(value: object, at: Shown["at"], most: number): readonly Shown[] | null {
  if (mustBeAwaited(value)) return null;
  const held = heldBy(value, most);
  return held && [...held, ...wordsOf(value, at).map(unnamed)];
}

const unnamed = (value: unknown): Shown => ({ at: undefined, value });

const hasMethod = (value: object, name: string | symbol): boolean =>
  typeof Reflect.get(value, name) === "function";

/** A promise, an iterator, a stream, or what has a body: a response, a request, a file. */
const mustBeAwaited = (value: object): boolean =>
  ["then", "next", "getReader", "arrayBuffer", Symbol.asyncIterator].some((name) => hasMethod(value, name));

/** What it says of itself: to `JSON.stringify`, and as a text. */
function wordsOf(value: object, at: Shown["at"]): unknown[] {
  const words: unknown[] = [];
  const toJson: unknown = Reflect.get(value, "toJSON");
  if (typeof toJson === "function" && toJson !== BYTES_TO_JSON)
    words.push(Reflect.apply(toJson, value, [String(at ?? "")]));
  if (types.isBoxedPrimitive(value)) words.push(value.valueOf());
  // The methods of an object show their sources nowhere; functions in a list do.
  const isMethod = typeof value === "function" && typeof at === "string";
  if (!isMethod && saysMore(value)) words.push(String(value));
  return words;
}

const BYTES_TO_JSON: unknown = Reflect.get(Buffer.prototype, "toJSON");
const BYTES_TO_TEXT: unknown = Reflect.get(Buffer.prototype, "toString");

const USUAL_JOINS = new Set<unknown>([Array.prototype.join, Uint8Array.prototype.join]);

/** Whether its text may be more than what else is read of it. */
function saysMore(value: object): boolean {
  if (hasMethod(value, Symbol.toPrimitive)) return true;
  const toText: unknown = Reflect.get(value, "toString");
  if (toText === Array.prototype.toString) return !USUAL_JOINS.has(Reflect.get(value, "join"));
  if (toText === BYTES_TO_TEXT && Buffer.isBuffer(value)) return isUtf8(value);
  if (toText === Error.prototype.toString && isError(value)) return false;
  return typeof toText === "function" || hasMethod(value, "valueOf");
}

const isError = (value: object): boolean => value instanceof Error || types.isNativeError(value);

/** What it holds. */
function heldBy(value: object, most: number): Shown[] | null {
  if (types.isStringObject(value)) return [];
  if (types.isTypedArray(value)) return numbersOf(value, most);
  const own = Array.isArray(value) ? listed(value, most) : ownOf(value);
  const items = itemsOf(value, most);
  return own && items && [...own, ...items];
}

/** By position, whatever a loop over it would give. */
const listed = (list: readonly unknown[], most: number): Shown[] | null =>
  list.length > most ? null : Array.from({ length: list.length }, (_, at) => ({ at, value: list[at] }));

/** Bytes aren't decoded; bigger numbers may say something, and so may a property of theirs. */
function numbersOf(value: NodeJS.TypedArray, most: number): Shown[] | null {
  const isBytes = value.BYTES_PER_ELEMENT < LEAST_BYTES;
  if (value.length > most) return isBytes ? [] : null;
  return ownOf(value).slice(isBytes ? value.length : 0);
}

const LEAST_BYTES = 4;

/** What stands under its keys. */
function ownOf(value: object): Shown[] {
  const keys = isError(value) ? keysOfError(value) : Object.keys(value);
  return keys.map((key) => ({ at: key, value: Reflect.get(value, key) }));
}

/** An error is known by what no list of its keys has. Its stack begins with its message and goes on with our code. */
function keysOfError(value: object): string[] {
  const own = Object.getOwnPropertyNames(value).filter((key) => key !== "stack");
  return [...new Set(["name", "message", "cause", ...own, ...Object.keys(value)])];
}

/** What a loop over it gives; null where a second loop would give nothing. */
function itemsOf(value: object, most: number): Shown[] | null {
  const iterate: unknown = Reflect.get(value, Symbol.iterator);
  if (typeof iterate !== "function") return [];
  if (Array.isArray(value) && iterate === Array.prototype[Symbol.iterator]) return [];
  const begin = (): unknown => Reflect.apply(iterate, value, []);
  const [first, second] = [begin(), begin()];
  if (first === second) return null;
  const items: Shown[] = [];
  // The loop itself checks what it is given.
  for (const item of { [Symbol.iterator]: begin } as Iterable<unknown>) {
    if (items.length >= most) return null;
    items.push(toShown(item, items.length));
  }
  return items;
}

/** The items of maps, headers and forms are pairs of a name and a value. */
function toShown(item: unknown, position: number): Shown {
  const isPair = Array.isArray(item) && item.length === 2 && isList(item) && typeof item[0] === "string";
  return isPair ? { at: item[0], value: item[1] } : { at: position, value: item };
}
