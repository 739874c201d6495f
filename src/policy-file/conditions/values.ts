/**
 * The values of a condition and what is done with two of them. Numbers are compared by what they are worth, whether
 * whole or not; any other mix of types is `UNCLEAR`.
 * THREAT: the values come from a model's arguments. Only what JSON can hold is a value, and a key is looked up as a
 * map's own.
 */
import { type Meter, UNCLEAR } from "./scope.ts";

type Kind = "null" | "bool" | "number" | "string" | "list" | "map";

type Numeric = number | bigint;
type Mapping = Readonly<Record<string, unknown>>;

export const isNumeric = (value: unknown): value is Numeric =>
  typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value));

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

export function isMapping(value: unknown): value is Mapping {
  if (typeof value !== "object" || value === null || isList(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (isNumeric(value)) return "number";
  if (isList(value)) return "list";
  if (isMapping(value)) return "map";
  throw UNCLEAR;
}

export function asBoolean(value: unknown): boolean {
  if (typeof value !== "boolean") throw UNCLEAR;
  return value;
}

/** What one part of a condition says, or null if it can't be determined. */
export function attempt(part: () => unknown, meter: Meter): boolean | null {
  try {
    const result = part();
    return typeof result === "boolean" ? result : null;
  } catch (error) {
    if (error !== UNCLEAR) throw error;
    meter.charge(A_CATCH);
    return null;
  }
}

/** What it costs to catch an error, which takes far longer than to compare. */
const A_CATCH = 40;

/** Whether a part holds for any item; `UNCLEAR` where it holds for none and can't be determined about one. */
export function isAny<Item>(items: Iterable<Item>, holds: (item: Item) => unknown, meter: Meter): boolean {
  let isOpen = false;
  for (const item of items) {
    const result = attempt(() => holds(item), meter);
    if (result) return true;
    isOpen ||= result === null;
  }
  if (isOpen) throw UNCLEAR;
  return false;
}

/** Whether two values are equal, to their depths. Null is equal to nothing else where `null` is a value to expect. */
export function isEqual(left: unknown, right: unknown, meter: Meter, expectsNull = false): boolean {
  meter.charge(1);
  const kind = kindOf(left);
  const other = kindOf(right);
  if (kind === other) return areAlikeEqual(left, right, meter);
  if (expectsNull && (kind === "null" || other === "null")) return false;
  throw UNCLEAR;
}

/** The same for two values of one kind. */
function areAlikeEqual(left: unknown, right: unknown, meter: Meter): boolean {
  if (isNumeric(left) && isNumeric(right)) return !(left < right) && !(left > right);
  if (isList(left) && isList(right)) {
    if (left.length !== right.length) return false;
    return !isAny(left.keys(), (index) => !isEqual(left[index], right[index], meter), meter);
  }
  if (isMapping(left) && isMapping(right)) return areMapsEqual(left, right, meter);
  if (typeof left === "string" && typeof right === "string")
    meter.chargeText(Math.min(left.length, right.length));
  return left === right;
}

function areMapsEqual(left: Mapping, right: Mapping, meter: Meter): boolean {
  const keys = Object.keys(left);
  meter.charge(keys.length);
  if (keys.length !== Object.keys(right).length) return false;
  return !isAny(keys, (key) => !Object.hasOwn(right, key) || !isEqual(left[key], right[key], meter), meter);
}

/** -1, 0 or 1, for two numbers or two texts. */
export function compare(left: unknown, right: unknown, meter: Meter): number {
  if (isNumeric(left) && isNumeric(right)) return left < right ? -1 : Number(left > right);
  if (typeof left !== "string" || typeof right !== "string") throw UNCLEAR;
  meter.chargeText(Math.min(left.length, right.length));
  return left < right ? -1 : Number(left > right);
}

/** Whether a list holds a value. */
export function isIn(value: unknown, container: unknown, meter: Meter, expectsNull = false): boolean {
  if (!isList(container)) throw UNCLEAR;
  return isAny(container, (item) => isEqual(value, item, meter, expectsNull), meter);
}

/** An item of a list by its place, or a map's value by its key. */
export function itemAt(container: unknown, key: unknown): unknown {
  if (isMapping(container) && typeof key === "string" && Object.hasOwn(container, key)) return container[key];
  if (!isList(container) || !isNumeric(key)) throw UNCLEAR;
  const index = Number(key);
  if (!Number.isInteger(index) || index < 0 || index >= container.length) throw UNCLEAR;
  return container[index];
}

type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

const MAX_INTEGER = 2n ** 63n - 1n;

/** Sums and their like: of two whole numbers as CEL has it, in 64 bits; else as numbers with a fraction. */
export function calculate(
  operator: ArithmeticOperator,
  left: unknown,
  right: unknown,
  meter: Meter,
): unknown {
  if (isNumeric(left) && isNumeric(right)) return calculateNumbers(operator, left, right);
  if (operator !== "+") throw UNCLEAR;
  if (typeof left === "string" && typeof right === "string") {
    meter.chargeText(left.length + right.length);
    return left + right;
  }
  if (!isList(left) || !isList(right)) throw UNCLEAR;
  meter.charge(left.length + right.length);
  return [...left, ...right];
}

export function negate(value: unknown): Numeric {
  if (!isNumeric(value)) throw UNCLEAR;
  return typeof value === "bigint" ? inRange(-value) : -value;
}

function calculateNumbers(operator: ArithmeticOperator, left: Numeric, right: Numeric): Numeric {
  if (typeof left === "bigint" && typeof right === "bigint") return calculateWhole(operator, left, right);
  const result = calculateFractions(operator, Number(left), Number(right));
  // A sum that is no number compares with nothing, so it would never ask.
  if (!Number.isFinite(result)) throw UNCLEAR;
  return result;
}

function calculateWhole(operator: ArithmeticOperator, left: bigint, right: bigint): bigint {
  if (right === 0n && (operator === "/" || operator === "%")) throw UNCLEAR;
  switch (operator) {
    case "+":
      return inRange(left + right);
    case "-":
      return inRange(left - right);
    case "*":
      return inRange(left * right);
    case "/":
      return inRange(left / right);
    case "%":
      return left % right;
  }
}

function inRange(value: bigint): bigint {
  if (value > MAX_INTEGER || value < -MAX_INTEGER - 1n) throw UNCLEAR;
  return value;
}

function calculateFractions(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
  }
}
