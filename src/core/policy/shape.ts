/**
 * The shapes of what programs hand over: declarations, labels, options, answers. A compiler checks literals alone, and
 * a misspelt key or a wrong type would otherwise mean that nothing was said. Knows no declaration; each stands beside
 * its type.
 */
import { type ErrorCode, SluicegateError } from "../../errors/index.ts";
import { quoteName } from "../decision/quote-name.ts";
import { nearMiss } from "../tools/near-miss.ts";

/** What is wrong with a value, in words that follow its path; null if it fits. */
export interface Misfit {
  readonly path: string;
  /** Follows the path, as in "must be a list, and is text". */
  readonly problem: string;
}

/** Checks a value that stands at a path, such as `tools.pay.permissions.0`. */
export type Shape = (value: unknown, path: string) => Misfit | null;

/** What a value is, in a word, and never what it holds. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "text";
  if (typeof value === "object") {
    if (isPromise(value)) return "a promise";
    return isPlain(value) ? "an object" : `an instance of ${quoteName(classOf(value))}`;
  }
  return typeof value === "function" ? "a function" : `a ${typeof value}`;
}

const classOf = ({ constructor: made }: object): string =>
  typeof made === "function" ? made.name : "a class";

const isPromise = (value: object): boolean => "then" in value && typeof value.then === "function";

const misfit = (path: string, wanted: string, value: unknown): Misfit => ({
  path,
  problem: `must be ${wanted}, and is ${kindOf(value)}`,
});

/** A value that a test recognizes. */
export const matching =
  (wanted: string, test: (value: unknown) => boolean): Shape =>
  (value, path) =>
    test(value) ? null : misfit(path, wanted, value);

export const text = matching("text", (value) => typeof value === "string");
export const name = matching("text that isn't empty", (value) => typeof value === "string" && value !== "");
export const flag = matching("true or false", (value) => typeof value === "boolean");
export const callable = matching("a function", (value) => typeof value === "function");
export const anything: Shape = () => null;
/** An object with methods, such as a store or a clock. */
export const having = (wanted: string, ...methods: readonly string[]): Shape =>
  matching(wanted, (value) => {
    if (typeof value !== "object" || value === null) return false;
    return methods.every((method) => typeof Reflect.get(value, method) === "function");
  });

/** A number within bounds. */
export const numberFrom = (least: number, most = Number.POSITIVE_INFINITY): Shape =>
  matching(
    most === Number.POSITIVE_INFINITY ? `a number from ${least}` : `a number from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most,
  );

/** One of a few words. */
export const oneOf =
  (...words: readonly string[]): Shape =>
  (value, path) => {
    if (typeof value !== "string") return misfit(path, quoteAll(words, "or"), value);
    if (words.includes(value)) return null;
    return {
      path,
      problem: `must be ${quoteAll(words, "or")}, and is ${quoteName(value)}${hint(value, words)}`,
    };
  };

/** Either of two shapes; what is wrong is said by the second. */
export const either =
  (first: Shape, second: Shape): Shape =>
  (value, path) =>
    first(value, path) === null ? null : second(value, path);

export const listOf =
  (item: Shape): Shape =>
  (value, path) =>
    Array.isArray(value)
      ? firstOf(value.map((one, at) => item(one, `${path}.${at}`)))
      : misfit(path, "a list", value);

/** A list, a set, or another iterable. An iterator is taken as it is: a check would leave nothing of it. */
export const collectionOf =
  (item: Shape): Shape =>
  (value, path) => {
    if (!isCollection(value)) return misfit(path, "a list or a set", value);
    return "next" in value ? null : firstOf([...value].map((one, at) => item(one, `${path}.${at}`)));
  };

const isCollection = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" &&
  value !== null &&
  Symbol.iterator in value &&
  typeof value[Symbol.iterator] === "function";

/** An object of any names, each with a value of one shape. */
export const mapOf =
  (item: Shape): Shape =>
  (value, path) =>
    isPlain(value)
      ? firstOf(Object.entries(value).map(([key, one]) => item(one, below(path, key))))
      : misfit(path, "an object", value);

/** An object with known keys. A key with the value undefined is left out. */
export function record<Declared extends object>(
  fields: Readonly<Record<keyof Declared & string, Shape>>,
  required: readonly (keyof Declared & string)[] = [],
): Shape {
  const shapes = new Map<string, Shape>(Object.entries(fields));
  const known = [...shapes.keys()];
  return (value, path) => {
    if (!isPlain(value)) return misfit(path, `an object with ${quoteAll(known, "or")}`, value);
    for (const [key, one] of Object.entries(value)) {
      if (one === undefined) continue;
      const shape = shapes.get(key);
      if (shape === undefined) return unknownKey(path, key, known);
      const wrong = shape(one, below(path, key));
      if (wrong !== null) return wrong;
    }
    const missing = required.find(
      (key) => !Object.hasOwn(value, key) || Reflect.get(value, key) === undefined,
    );
    return missing === undefined ? null : { path: below(path, missing), problem: "is missing" };
  };
}

/** Whether an object says in keys of its own all that it says: a map, a set or a class may say more. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || isPromise(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another realm has another `Object`, whose prototype has none either.
  return typeof prototype === "object" && (prototype === null || Object.getPrototypeOf(prototype) === null);
}

const firstOf = (results: readonly (Misfit | null)[]): Misfit | null =>
  results.find((result) => result !== null) ?? null;

const below = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

function unknownKey(path: string, key: string, known: readonly string[]): Misfit {
  const end = hint(key, known) || `; the keys are ${quoteAll(known, "and")}`;
  return { path: below(path, key), problem: `isn't a known key${end}` };
}

function hint(wrong: string, known: readonly string[]): string {
  const near = nearMiss(wrong, known);
  return near === undefined ? "" : `; did you mean ${quoteName(near)}?`;
}

function quoteAll(words: readonly string[], conjunction: string): string {
  const quoted = words.map(quoteName);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} ${conjunction} ${last}`;
}

/** How a value is called in an error, and which error it is. */
export interface Subject {
  readonly code: ErrorCode;
  /** What happened, such as "The gate can't be created." */
  readonly message: string;
  /** The value's name, where its path begins: "options", "toolPolicy". */
  readonly path: string;
}

/** @throws SluicegateError for a value that doesn't fit. */
export function assertShape(shape: Shape, value: unknown, { code, message, path }: Subject): void {
  const wrong = shape(value, path);
  if (wrong === null) return;
  const { problem } = wrong;
  throw new SluicegateError(code, message, {
    why: `${wrong.path === "" ? "It" : quoteName(wrong.path)} ${problem}${problem.endsWith("?") ? "" : "."}`,
    fix: problem.endsWith("is a promise")
      ? "Put `await` before what gives it."
      : "Correct it; nothing was done.",
    details: { path: wrong.path },
  });
}
