/**
 * Limits of a result, the same for every provider. THREAT: a provider chooses how large a result is. It is copied,
 * inspected and serialised, and nobody else is served meanwhile.
 */
import { SluicegateError } from "../../errors/index.ts";
import { measureJson } from "../../json/measure-json.ts";
import { nextTurnOf, type TurnOwner } from "../../threads/index.ts";
import type { JsonObject } from "../ports/provider.ts";

/** Limits, not counting the escapes in texts. */
export const RESULT_BOUNDS = Object.freeze({
  bytes: 8 * 1024 * 1024,
  depth: 128,
  values: 100_000,
  names: 5_000,
});

const { bytes, depth, values, names } = RESULT_BOUNDS;

/**
 * The result, if it is within the limits; a large one continues in a turn of its own.
 * @throws SluicegateError `result-too-large`
 */
export async function boundResult(tool: string, result: JsonObject, owner: TurnOwner): Promise<JsonObject> {
  const measure = measureJson(result, RESULT_BOUNDS);
  if (measure === "too-large" || measure === "too-deep") throw resultTooLarge(tool);
  const whole = isWellFormed(result) ? result : toWellFormedObject(result);
  if (measure === "large") await nextTurnOf(owner);
  return whole;
}

const resultTooLarge = (tool: string): SluicegateError =>
  new SluicegateError("result-too-large", `The result of \`${tool}\` is too large.`, {
    why: `It has more than ${bytes} bytes, ${values} values or ${names} different member names, or is nested deeper than ${depth}.`,
    fix: "Ask for less at a time; a large table fits as one text. The call itself was run.",
    details: { tool, bytes },
  });

const isContainer = (value: unknown): value is JsonObject | readonly unknown[] =>
  typeof value === "object" && value !== null;

// INVARIANT: later recursive functions see no deep nesting.
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (!isContainer(value)) return true;
  if (isArray(value)) return value.every(isWellFormed);
  return Object.keys(value).every((name) => name.isWellFormed() && isWellFormed(value[name]));
}

/**
 * Replaces each unpaired surrogate by U+FFFD. THREAT: the provider chooses the text, and serialising such a surrogate
 * takes a hundred times as long.
 */
function toWellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (!isContainer(value)) return value;
  return isArray(value) ? value.map(toWellFormed) : toWellFormedObject(value);
}

const toWellFormedObject = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name.toWellFormed(), toWellFormed(value)]),
  );

const isArray = (value: JsonObject | readonly unknown[]): value is readonly unknown[] => Array.isArray(value);
