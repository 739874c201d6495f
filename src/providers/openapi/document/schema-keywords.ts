/** The keywords of a schema that are kept, and their valid values; everything else is dropped. */
import { isJsonObject } from "../json-value.ts";

const TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);
const MAX_PATTERN_LENGTH = 500;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => typeof value === "number";
const isText = (value: unknown): boolean => typeof value === "string";
const isTruth = (value: unknown): boolean => typeof value === "boolean";
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isType = (value: unknown): boolean =>
  TYPES.has(value) || (Array.isArray(value) && value.length > 0 && value.every((type) => TYPES.has(type)));

/** An invalid pattern could make a client reject the whole list of tools. */
function isPattern(value: unknown): boolean {
  if (typeof value !== "string" || value.length > MAX_PATTERN_LENGTH) return false;
  try {
    return new RegExp(value, "u") !== null;
  } catch {
    return false;
  }
}

/** Keywords whose valid values are copied. */
export const PLAIN_KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["type", isType],
  ["enum", (value: unknown) => Array.isArray(value) && value.length > 0],
  ["const", () => true],
  ["format", isText],
  ["minimum", isNumber],
  ["maximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["exclusiveMaximum", isNumber],
  ["multipleOf", (value: unknown) => isNumber(value) && Number(value) > 0],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["pattern", isPattern],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["uniqueItems", isTruth],
  ["minContains", isCount],
  ["maxContains", isCount],
  ["minProperties", isCount],
  ["maxProperties", isCount],
  ["dependentRequired", (value: unknown) => isJsonObject(value) && Object.values(value).every(isNames)],
  ["deprecated", isTruth],
  ["contentMediaType", isText],
  ["contentEncoding", isText],
]);

/** Keywords whose value is a schema. */
export const SCHEMA_KEYWORDS: readonly string[] = [
  "items",
  "additionalProperties",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
];

/** Keywords whose value is a list of schemas. */
export const LIST_KEYWORDS: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/** Keywords whose value has a schema under each name. */
export const MAP_KEYWORDS: readonly string[] = ["properties", "patternProperties", "dependentSchemas"];
