/**
 * The bounds of a result, the same for every provider. What a result costs is not the provider's to choose: it is
 * copied, inspected and written as JSON, and nobody else is served meanwhile.
 */
import { SluicegateError } from "../../errors/index.ts";
import { measureJson } from "../../json/measure-json.ts";
import { ownTurn } from "../../threads/index.ts";
import type { JsonObject } from "../ports/provider.ts";

/** What a result may have, without the escapes in its texts. */
export const RESULT_BOUNDS = Object.freeze({
  bytes: 8 * 1024 * 1024,
  depth: 128,
  values: 100_000,
  names: 10_000,
});

const { bytes, depth, values, names } = RESULT_BOUNDS;

/**
 * The same result within its bounds; a large one goes on in a turn of the event loop of its own.
 * @throws SluicegateError `result-too-large`
 */
export async function boundResult(tool: string, result: JsonObject): Promise<JsonObject> {
  const measure = measureJson(result, RESULT_BOUNDS);
  if (measure === "too-large" || measure === "too-deep") throw resultTooLarge(tool);
  const whole = isWellFormed(result) ? result : toWellFormedObject(result);
  if (measure === "large") await ownTurn();
  return whole;
}

const resultTooLarge = (tool: string): SluicegateError =>
  new SluicegateError("result-too-large", `The result of \`${tool}\` is too large.`, {
    why: `It has more than ${bytes} bytes, ${values} values or ${names} different names of members, or is nested deeper than ${depth}.`,
    fix: "Ask for less at a time; a large table fits as one text. The call itself was run.",
    details: { tool, bytes },
  });

const isContainer = (value: unknown): value is JsonObject | readonly unknown[] =>
  typeof value === "object" && value !== null;

// INVARIANT: what is walked by recursion from here on is not deep.
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (!isContainer(value)) return true;
  if (isArray(value)) return value.every(isWellFormed);
  return Object.keys(value).every((name) => name.isWellFormed() && isWellFormed(value[name]));
}

/**
 * With U+FFFD for each half of a character.
 * THREAT: the provider chooses the text, and JSON takes a hundred times as long to write such a half.
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
