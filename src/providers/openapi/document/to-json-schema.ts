/**
 * Schemas of an OpenAPI document as JSON Schema 2020-12. Each referenced schema becomes one `$defs` entry, however
 * often it is referenced, also in cycles, so the result isn't larger than the document.
 */
import type { JsonObject } from "../../../runtime/index.ts";
import { fieldOf, isBounded, isJsonObject, listAt, objectAt, textAt, toShownText } from "../json-value.ts";
import { type DocumentReading, followRefs, TooLarge } from "./document-reading.ts";

/** How much of a schema is kept. */
export interface Detail {
  /** Characters of a description; 0 for none. */
  readonly description: number;
  readonly examples: boolean;
  /** Nested schemas; deeper ones allow anything. */
  readonly depth: number;
}

export interface SchemaMapper {
  toJsonSchema(schema: unknown): JsonObject;
  /** The `$defs` that the mapped schemas reference. */
  definitions(): JsonObject;
  /** The references found so far, in order. */
  refs(): readonly string[];
}

/** Schemas in one tool's input. */
const MAX_SCHEMAS = 5_000;
const EXAMPLE = { depth: 6, parts: 50 };
const MAX_EXAMPLE_LENGTH = 300;

/**
 * Maps the schemas of one tool.
 * @throws UnusableOperation for schemas known to be too large.
 */
export function createSchemaMapper(
  document: JsonObject,
  detail: Detail,
  reading: DocumentReading,
): SchemaMapper {
  const found = reading.foundOf(detail);
  const isOld = textAt(document, "openapi")?.startsWith("3.0") ?? false;
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const definitions = new Map<string, JsonObject>();
  const waiting: { readonly name: string; readonly ref: string }[] = [];
  let schemas = 0;

  const refer = (ref: string): JsonObject => {
    assertSmall(found.get(ref));
    const known = names.get(ref);
    const name = known ?? nameOf(ref, taken);
    if (known === undefined) {
      names.set(ref, name);
      waiting.push({ name, ref });
    }
    return { $ref: `#/$defs/${name}` };
  };
  const map = (schema: unknown, depth: number): JsonObject => {
    schemas += 1;
    reading.spend({ schemas: 1, names: namesIn(schema) });
    if (schemas > MAX_SCHEMAS) throw new TooLarge("Its input has too many parts.", "always");
    if (schema === false) return { not: {} };
    if (!isJsonObject(schema) || depth > detail.depth) return {};
    const ref = fieldOf(schema, "$ref");
    const notes = notesOf(schema, detail);
    if (typeof ref === "string" && isOld) return refer(ref);
    const parts = partsOf(schema, (child) => map(child, depth + 1));
    const mapped = { ...(typeof ref === "string" && refer(ref)), ...parts, ...notes };
    return isOld ? fromOldSchema(schema, mapped) : mapped;
  };
  return {
    toJsonSchema: (schema) => {
      assertSmall(found.get(schema));
      return map(schema, 1);
    },
    refs: () => [...names.keys()],
    definitions: () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        definitions.set(next.name, map(followRefs(document, { $ref: next.ref }), 1));
      }
      return Object.fromEntries(definitions);
    },
  };
}

function assertSmall(found: TooLarge | null | undefined): void {
  if (found) throw found;
}

/** Names and items in the keywords of a schema. */
function namesIn(schema: unknown): number {
  if (!isJsonObject(schema)) return 0;
  const counts = Object.values(schema).map((value) => {
    if (Array.isArray(value)) return value.length;
    return isJsonObject(value) ? Object.keys(value).length : 0;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

type Part = readonly [keyword: string, value: unknown];

function partsOf(schema: JsonObject, map: (child: unknown) => JsonObject): JsonObject {
  const plain = [...PLAIN_KEYWORDS].flatMap(([keyword, isRight]): Part[] => {
    const value = fieldOf(schema, keyword);
    return value !== undefined && isRight(value) ? [[keyword, value]] : [];
  });
  const schemas = SCHEMA_KEYWORDS.flatMap((keyword): Part[] => {
    const value = fieldOf(schema, keyword);
    if (isJsonObject(value)) return [[keyword, map(value)]];
    return typeof value === "boolean" ? [[keyword, value]] : [];
  });
  const lists = LIST_KEYWORDS.flatMap((keyword): Part[] => {
    const list = listAt(schema, keyword);
    return list.length > 0 ? [[keyword, list.map(map)]] : [];
  });
  const maps = MAP_KEYWORDS.filter((keyword) => isJsonObject(fieldOf(schema, keyword))).map(
    (keyword): Part => {
      const entries = Object.entries(objectAt(schema, keyword)).filter(isSent);
      return [keyword, Object.fromEntries(entries.map(([name, child]) => [name, map(child)]))];
    },
  );
  const required = requiredOf(schema);
  return {
    ...Object.fromEntries([...plain, ...schemas, ...lists, ...maps]),
    ...(required.length > 0 && { required }),
  };
}

/** Read-only fields aren't offered, nor any named like a setter of all objects. */
const isSent = ([name, schema]: [string, unknown]): boolean =>
  name !== "__proto__" && !(isJsonObject(schema) && fieldOf(schema, "readOnly") === true);

function requiredOf(schema: JsonObject): string[] {
  const properties = objectAt(schema, "properties");
  const isAsked = (name: unknown): name is string =>
    typeof name === "string" && isSent([name, fieldOf(properties, name)]);
  return [...new Set(listAt(schema, "required").filter(isAsked))];
}

/** Texts and examples, which are shown but not trusted. */
function notesOf(schema: JsonObject, { description, examples }: Detail): JsonObject {
  const text = toShownText(textAt(schema, "description") ?? "", description);
  const title = toShownText(textAt(schema, "title") ?? "", Math.min(description, 100));
  const example = fieldOf(schema, "example") ?? listAt(schema, "examples")[0];
  const usual = fieldOf(schema, "default");
  return {
    ...(title !== "" && { title }),
    ...(text !== "" && { description: text }),
    ...(examples && isSmall(usual) && { default: usual }),
    ...(examples && isSmall(example) && { examples: [example] }),
  };
}

const isSmall = (value: unknown): boolean =>
  value !== undefined && isBounded(value, EXAMPLE) && JSON.stringify(value).length <= MAX_EXAMPLE_LENGTH;

/** Differences of OpenAPI 3.0 from JSON Schema. */
function fromOldSchema(schema: JsonObject, mapped: JsonObject): JsonObject {
  const limited: Record<string, unknown> = { ...mapped };
  for (const [exclusive, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (fieldOf(schema, exclusive) !== true || limited[limit] === undefined) continue;
    limited[exclusive] = limited[limit];
    delete limited[limit];
  }
  return fieldOf(schema, "nullable") === true ? withNull(limited) : limited;
}

function withNull(mapped: JsonObject): JsonObject {
  const { type, enum: values } = mapped;
  if (typeof type !== "string") return { anyOf: [mapped, { type: "null" }] };
  const listed = Array.isArray(values) && !values.includes(null) ? [...values, null] : values;
  return { ...mapped, type: [type, "null"], ...(listed !== undefined && { enum: listed }) };
}

/** A plain, unused name from the end of a pointer; it is added to `taken`. */
function nameOf(ref: string, taken: Set<string>): string {
  const last = (ref.split("/").at(-1) ?? "").replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 60) || "schema";
  const plain = last === "__proto__" ? "schema" : last;
  let name = taken.has(plain) ? `${plain}_${taken.size + 1}` : plain;
  while (taken.has(name)) name += "_";
  taken.add(name);
  return name;
}

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
const PLAIN_KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
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
const SCHEMA_KEYWORDS: readonly string[] = [
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
const LIST_KEYWORDS: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/** Keywords whose value has a schema under each name. */
const MAP_KEYWORDS: readonly string[] = ["properties", "patternProperties", "dependentSchemas"];
