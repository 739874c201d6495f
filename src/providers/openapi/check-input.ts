/**
 * Validates arguments against a tool's input schema, so that a wrong call gets an error which names the field, and
 * nothing is sent. The API validates patterns and formats; of `oneOf` any match is enough. THREAT: the document
 * chooses the schema and the model the arguments. A pattern could run forever on a text, so none is run; the steps
 * are counted, and large values are measured once.
 */
import type { JsonObject } from "../../runtime/index.ts";
import { fieldOf, isJsonObject, listAt, objectAt, textAt, toShownText } from "./json-value.ts";

const MAX_STEPS = 200_000;
const MAX_DEPTH = 300;
const MAX_PROBLEMS = 5;
/** Characters of a path in a message. */
const MAX_PLACE_LENGTH = 200;

interface Check {
  readonly root: JsonObject;
  readonly problems: string[];
  /** Measured values, and how much was written. */
  readonly sizes: Map<unknown, number>;
  readonly texts: Map<unknown, string>;
  left: number;
}

/** The problems, each naming its field; empty if there are none. */
export function checkInput(root: JsonObject, input: unknown): readonly string[] {
  const check: Check = { root, problems: [], sizes: new Map(), texts: new Map(), left: MAX_STEPS };
  checkValue(check, root, input, "", 0);
  if (check.left <= 0) return ["The arguments are too large to be checked."];
  return check.problems.slice(0, MAX_PROBLEMS);
}

function checkValue(check: Check, schema: unknown, value: unknown, place: string, depth: number): void {
  check.left -= 1;
  if (check.left <= 0 || check.problems.length >= MAX_PROBLEMS) return;
  if (depth > MAX_DEPTH) {
    check.left = 0;
    return;
  }
  if (schema === false) report(check, place, "may not be given");
  if (!isJsonObject(schema)) return;
  for (const keyword of ["enum", "required", "type"]) check.left -= listAt(schema, keyword).length;
  const target = referredTo(check.root, schema);
  if (target !== null) checkValue(check, target, value, place, depth + 1);
  const wrong =
    wrongType(schema, value) ?? wrongValue(check, schema, value) ?? wrongSize(check, schema, value);
  if (wrong !== null) {
    report(check, place, wrong);
    return;
  }
  checkParts(check, schema, value, place, depth);
  for (const part of listAt(schema, "allOf")) checkValue(check, part, value, place, depth + 1);
  for (const keyword of ["anyOf", "oneOf"]) checkAny(check, listAt(schema, keyword), value, place, depth);
}

function referredTo(root: JsonObject, schema: JsonObject): unknown {
  const ref = textAt(schema, "$ref");
  return ref === undefined ? null : fieldOf(objectAt(root, "$defs"), ref.slice("#/$defs/".length));
}

/** Any match is enough. If none matches, only problems of the single schema with the right type are reported. */
function checkAny(
  check: Check,
  schemas: readonly unknown[],
  value: unknown,
  place: string,
  depth: number,
): void {
  if (schemas.length === 0) return;
  const failed: (readonly string[])[] = [];
  for (const schema of schemas) {
    const attempt: Check = { ...check, problems: [] };
    checkValue(attempt, schema, value, place, depth + 1);
    check.left = attempt.left;
    if (attempt.problems.length === 0) return;
    if (!isJsonObject(schema) || wrongType(schema, value) === null) failed.push(attempt.problems);
  }
  const [only] = failed;
  if (only !== undefined && failed.length === 1) check.problems.push(...only);
  else report(check, place, "has none of the forms that it may have");
}

const TYPES: ReadonlyMap<string, readonly [(value: unknown) => boolean, string]> = new Map([
  ["string", [(value: unknown) => typeof value === "string", "a text"]],
  ["number", [(value: unknown) => typeof value === "number", "a number"]],
  ["integer", [Number.isInteger, "an integer"]],
  ["boolean", [(value: unknown) => typeof value === "boolean", "true or false"]],
  ["object", [isJsonObject, "an object"]],
  ["array", [Array.isArray, "a list"]],
  ["null", [(value: unknown) => value === null, "null"]],
]);

function wrongType(schema: JsonObject, value: unknown): string | null {
  const type = fieldOf(schema, "type");
  const types = typeof type === "string" ? [type] : listAt(schema, "type");
  const known = types.flatMap((name) => {
    const found = typeof name === "string" ? TYPES.get(name) : undefined;
    return found === undefined ? [] : [found];
  });
  if (known.length === 0 || known.some(([is]) => is(value))) return null;
  return `must be ${known.map(([, words]) => words).join(" or ")}`;
}

function wrongValue({ texts }: Check, schema: JsonObject, value: unknown): string | null {
  const allowed = "const" in schema ? [schema.const] : fieldOf(schema, "enum");
  if (!Array.isArray(allowed) || allowed.some((one) => isSame(texts, one, value))) return null;
  const shown = allowed.slice(0, 20).map((one) => toShownText(JSON.stringify(one) ?? "", 60));
  return `must be one of ${shown.join(", ")}${allowed.length > shown.length ? ", …" : ""}`;
}

const isSame = (texts: Check["texts"], left: unknown, right: unknown): boolean =>
  left === right ||
  (typeof left === "object" && typeof right === "object" && textOf(texts, left) === textOf(texts, right));

function textOf(texts: Check["texts"], value: unknown): string {
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}

type Limit = readonly [keyword: string, isWrong: (value: number, limit: number) => boolean, words: string];

const NUMBERS: readonly Limit[] = [
  ["minimum", (value, limit) => value < limit, "must be at least"],
  ["maximum", (value, limit) => value > limit, "must be at most"],
  ["exclusiveMinimum", (value, limit) => value <= limit, "must be more than"],
  ["exclusiveMaximum", (value, limit) => value >= limit, "must be less than"],
];
const below = (value: number, limit: number): boolean => value < limit;
const above = (value: number, limit: number): boolean => value > limit;
const TEXTS: readonly Limit[] = [
  ["minLength", below, "must have at least this many characters:"],
  ["maxLength", above, "must have at most this many characters:"],
];
const LISTS: readonly Limit[] = [
  ["minItems", below, "must have at least this many items:"],
  ["maxItems", above, "must have at most this many items:"],
];
const OBJECTS: readonly Limit[] = [
  ["minProperties", below, "must have at least this many fields:"],
  ["maxProperties", above, "must have at most this many fields:"],
];

function wrongSize({ sizes }: Check, schema: JsonObject, value: unknown): string | null {
  for (const [keyword, isWrong, words] of limitsOf(value)) {
    const limit = fieldOf(schema, keyword);
    if (typeof limit === "number" && isWrong(sizeOf(sizes, value), limit)) return `${words} ${limit}`;
  }
  return null;
}

function limitsOf(value: unknown): readonly Limit[] {
  if (typeof value === "number") return NUMBERS;
  if (typeof value === "string") return TEXTS;
  if (Array.isArray(value)) return LISTS;
  return isJsonObject(value) ? OBJECTS : [];
}

function sizeOf(sizes: Check["sizes"], value: unknown): number {
  if (typeof value === "number") return value;
  const size = sizes.get(value) ?? measure(value);
  sizes.set(value, size);
  return size;
}

function measure(value: unknown): number {
  if (typeof value === "string") return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function checkParts(check: Check, schema: JsonObject, value: unknown, place: string, depth: number): void {
  if (Array.isArray(value)) {
    const first = listAt(schema, "prefixItems");
    const rest = fieldOf(schema, "items");
    for (const [index, item] of value.entries()) {
      checkValue(check, first[index] ?? rest, item, `${place}[${index}]`, depth + 1);
      if (check.left <= 0) return;
    }
  } else if (isJsonObject(value)) checkFields(check, schema, value, place, depth);
}

function checkFields(
  check: Check,
  schema: JsonObject,
  value: JsonObject,
  place: string,
  depth: number,
): void {
  const properties = objectAt(schema, "properties");
  for (const name of listAt(schema, "required")) {
    if (typeof name === "string" && !Object.hasOwn(value, name)) report(check, at(place, name), "is missing");
  }
  const isOpen = fieldOf(schema, "patternProperties") !== undefined;
  const rest = isOpen ? undefined : fieldOf(schema, "additionalProperties");
  for (const [name, child] of Object.entries(value)) {
    const own = fieldOf(properties, name);
    if (own === undefined && rest === false) report(check, at(place, name), "is no field that there is");
    else checkValue(check, own ?? rest, child, at(place, name), depth + 1);
    if (check.left <= 0) return;
  }
}

const at = (place: string, name: string): string =>
  (place === "" ? name : `${place}.${name}`).slice(0, MAX_PLACE_LENGTH);

function report(check: Check, place: string, problem: string): void {
  const name = place === "" ? "The input" : `\`${toShownText(place, 120).replaceAll("`", "'")}\``;
  check.problems.push(`${name} ${problem}.`);
}
