/**
 * Canonical JSON as of RFC 8785 (JCS): one text for one value, so that a hash over it means the value. What
 * JSON can't carry exactly is refused instead of being left out or changed.
 */
import { SluicegateError } from "../errors/index.ts";
import { ORDINARY } from "./parse-json.ts";

/** A host may replace it with another one. */
const { stringify } = JSON;

/** How deep arrays and objects may nest. A cycle is found by it as well. */
const MAX_DEPTH = 128;

/**
 * The canonical JSON text of a value as of RFC 8785: members sorted by the UTF-16 code units of their names,
 * numbers in ECMAScript's form, no white space.
 *
 * Throws SluicegateError `unsupported-value` for whatever JSON can't carry exactly: `undefined` (as a member's
 * value too), functions, symbols, bigints, numbers that are not finite, lone surrogates in strings or names,
 * objects that are not plain, a member named `__proto__`, and nesting deeper than 128 (so cycles too).
 */
export function canonicalJson(value: unknown): string {
  return write(value, 1);
}

/** A copy that whoever gave the value can't change any more, and its canonical text. */
export interface CanonicalForm {
  /** Plain arrays and objects, with their members in canonical order. */
  readonly value: unknown;
  readonly text: string;
}

/** Both at once, for what comes from a caller. Throws as `canonicalJson` does. */
export function canonicalForm(given: unknown): CanonicalForm {
  const copier = new Copier();
  const value = copier.copy(given, 1);
  return { value, text: copier.textOf(value) };
}

class Copier {
  /** Some name begins with a digit. An object has numbers first, whatever the order in which they are set. */
  #hasNumber = false;

  copy(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        checkText(value);
        return value;
      case "boolean":
        return value;
      case "number":
        checkFinite(value);
        // The text has no negative zero.
        return value === 0 ? 0 : value;
      case "object":
        return value === null ? null : this.#copyContainer(value, depth);
      default:
        throw unsupportedType(value);
    }
  }

  #copyContainer(value: object, depth: number): unknown {
    if (depth > MAX_DEPTH) throw tooDeep();
    if (Array.isArray(value)) {
      const copy: unknown[] = [];
      for (const item of value) copy.push(this.copy(item, depth + 1));
      return copy;
    }
    checkPlain(value);
    const copy: Record<string, unknown> = {};
    for (const name of namesIn(value)) {
      checkText(name);
      const member = this.copy(value[name], depth + 1);
      const first = name.charCodeAt(0);
      if (first >= 0x30 && first <= 0x39) this.#hasNumber = true;
      // Where the host has frozen `Object.prototype`, a name of its members can't be assigned.
      if (name in copy) Object.defineProperty(copy, name, { value: member, ...ORDINARY });
      else copy[name] = member;
    }
    return copy;
  }

  /** `JSON.stringify` takes a fraction of the time, and writes the same where none of its exceptions can apply. */
  textOf(copy: unknown): string {
    return this.#hasNumber || "toJSON" in Array.prototype ? write(copy, 1) : stringify(copy);
  }
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "number":
      return writeNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      return value === null ? "null" : writeContainer(value, depth);
    default:
      throw unsupportedType(value);
  }
}

function writeString(value: string): string {
  checkText(value);
  return PLAIN.test(value) ? `"${value}"` : stringify(value);
}

function checkText(text: string): void {
  if (!text.isWellFormed()) {
    throw unsupported("It has a string or a member's name with half of a surrogate pair.");
  }
}

/** Text that JSON writes as it is, as almost all short text is. */
const PLAIN = /^[ !#-[\]-~]{0,100}$/;

function writeNumber(value: number): string {
  checkFinite(value);
  return stringify(value);
}

function checkFinite(value: number): void {
  if (!Number.isFinite(value)) throw unsupported("It has a number that is not finite.");
}

function writeContainer(value: object, depth: number): string {
  if (depth > MAX_DEPTH) {
    throw tooDeep();
  }
  return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = "";
  // Unlike `forEach`, this shows holes as undefined, which is refused.
  for (const item of items) {
    text += `${text === "" ? "" : ","}${write(item, depth + 1)}`;
  }
  return `[${text}]`;
}

function writeObject(value: object, depth: number): string {
  checkPlain(value);
  let text = "";
  for (const name of namesIn(value)) {
    text += `${text === "" ? "" : ","}${writeString(name)}:${write(value[name], depth + 1)}`;
  }
  return `{${text}}`;
}

/** In canonical order: `sort` and `<` compare strings by their UTF-16 code units, as the RFC wants it. */
function namesIn(value: object): readonly string[] {
  const names = Object.keys(value);
  if (names.includes("__proto__")) throw unsupported("It has a member named `__proto__`.");
  for (let at = 1; at < names.length; at += 1) {
    const [before = "", name = ""] = [names[at - 1], names[at]];
    if (name < before) return names.sort();
  }
  return names;
}

function checkPlain(value: object): asserts value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object's prototype is none or has none itself; this holds across realms too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw unsupported("It has an object that is not plain data, such as a date or a map.");
  }
  if (Object.getOwnPropertySymbols(value).length > 0) {
    throw unsupported("It has a member that is named by a symbol.");
  }
}

const unsupportedType = (value: unknown): SluicegateError =>
  unsupported(`It has a value of the type \`${typeof value}\`.`);

const tooDeep = (): SluicegateError => unsupported(`It nests deeper than ${MAX_DEPTH}, or contains itself.`);

function unsupported(why: string): SluicegateError {
  return new SluicegateError("unsupported-value", "The value can't be written as JSON without changing it.", {
    why,
    fix: "Give plain JSON data: strings, finite numbers, booleans, null, arrays and plain objects.",
  });
}
