/** Plain JSON from strangers: own fields only, and iteration without recursion. */
import { isJsonObject, type JsonObject } from "../../json/json-object.ts";
import { measureJson } from "../../json/measure-json.ts";

export { isJsonObject };

/** An own field, never an inherited one. */
export const fieldOf = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

export const objectAt = (object: JsonObject, name: string): JsonObject => {
  const value = fieldOf(object, name);
  return isJsonObject(value) ? value : {};
};

export const listAt = (object: JsonObject, name: string): readonly unknown[] => {
  const value = fieldOf(object, name);
  return Array.isArray(value) ? value : [];
};

export const textAt = (object: JsonObject, name: string): string | undefined => {
  const value = fieldOf(object, name);
  return typeof value === "string" ? value : undefined;
};

/** Whether depth and number of parts of a value are within the limits. */
export const isBounded = (value: unknown, { depth, parts }: { depth: number; parts: number }): boolean =>
  ["fits", "large"].includes(measureJson(value, { bytes: Number.POSITIVE_INFINITY, depth, values: parts }));

/**
 * Whether JSON text is nested at most this deep. THREAT: the parser takes seconds for a few megabytes of brackets,
 * and nothing else runs meanwhile.
 */
export function isShallow(text: string, depth: number): boolean {
  let level = 0;
  let isInText = false;
  for (let at = 0; at < text.length && level <= depth; at += 1) {
    const mark = text[at] ?? "";
    if (isInText && mark === "\\") at += 1;
    else if (mark === '"') isInText = !isInText;
    else if (!isInText) level += LEVELS.get(mark) ?? 0;
  }
  return level <= depth;
}

const LEVELS: ReadonlyMap<string, number> = new Map([
  ["[", 1],
  ["{", 1],
  ["]", -1],
  ["}", -1],
]);

/** A document's text for display: truncated, without invisible characters except line ends. */
export function toShownText(text: string, longest: number): string {
  const clean = text
    .slice(0, longest * 2)
    .replaceAll(/[\p{C}--[\n\t]]/gv, "")
    .trim();
  return clean.length > longest ? `${clean.slice(0, longest - 1).toWellFormed()}…` : clean;
}
