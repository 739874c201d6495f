/** Sums and their like: of two whole numbers as CEL has it, in 64 bits; else as numbers with a fraction. */
import { type Meter, UNCLEAR } from "./meter.ts";
import { isList, isNumeric, type Numeric } from "./values.ts";

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

const MAX_INTEGER = 2n ** 63n - 1n;

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
