/** The schema of a tool's arguments, in as much detail as fits. */
import type { JsonObject } from "../../../runtime/index.ts";
import { isJsonObject, toShownText } from "../json-value.ts";
import { type DocumentReading, TooLarge, UnusableOperation } from "./document-reading.ts";
import { createSchemaMapper, type Detail, type SchemaMapper } from "./to-json-schema.ts";

/** An argument, with its schema as the document has it. */
export interface Argument {
  readonly name: string;
  readonly schema: unknown;
  readonly description: string;
  readonly isRequired: boolean;
}

/** Bytes of a tool's input schema. */
const MAX_SCHEMA_SIZE = 48 * 1024;
/** References and schemas of one operation that are checked separately if it is too large. */
const MAX_SUSPECTS = 8;

const FULL_DETAIL: Detail = { description: 600, examples: true, depth: 40 };
const BETWEEN: readonly Detail[] = [
  { description: 160, examples: false, depth: 40 },
  { description: 0, examples: false, depth: 12 },
];
const LEAST_DETAIL: Detail = { description: 0, examples: false, depth: 4 };

/** In the fullest detail that fits. @throws UnusableOperation if none does. */
export function toInputSchema(
  document: JsonObject,
  args: readonly Argument[],
  reading: DocumentReading,
): JsonObject {
  const write = (detail: Detail): JsonObject => writeSchema(document, args, detail, reading);
  const full = orNull(() => write(FULL_DETAIL));
  if (full !== null) return full;
  // If the shortest doesn't fit, none does, so it is tried first.
  const shortest = write(LEAST_DETAIL);
  for (const detail of BETWEEN) {
    const schema = orNull(() => write(detail));
    if (schema !== null) return schema;
  }
  return shortest;
}

/** Null if it is too large in this detail. */
function orNull(write: () => JsonObject): JsonObject | null {
  try {
    return write();
  } catch (error) {
    if (error instanceof TooLarge && error.when === "in-this-detail") return null;
    throw error;
  }
}

function writeSchema(
  document: JsonObject,
  args: readonly Argument[],
  detail: Detail,
  reading: DocumentReading,
): JsonObject {
  const mapper = createSchemaMapper(document, detail, reading);
  try {
    const properties = args.map(({ name, schema, description }): [string, JsonObject] => {
      const text = toShownText(description, detail.description);
      return [name, { ...mapper.toJsonSchema(schema), ...(text !== "" && { description: text }) }];
    });
    const required = args.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    const schema = {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
    return withDefinitions(schema, mapper, reading);
  } catch (error) {
    const roots = args.map(({ schema }) => schema).filter((schema) => !hasRef(schema));
    if (error instanceof TooLarge) remember(document, [...mapper.refs(), ...roots], detail, reading);
    throw error;
  }
}

const hasRef = (schema: unknown): boolean => !isJsonObject(schema) || Object.hasOwn(schema, "$ref");

/** @throws TooLarge */
function withDefinitions(written: JsonObject, mapper: SchemaMapper, reading: DocumentReading): JsonObject {
  const definitions = mapper.definitions();
  const schema = { ...written, ...(Object.keys(definitions).length > 0 && { $defs: definitions }) };
  const text = JSON.stringify(schema);
  reading.spend({ characters: text.length });
  if (Buffer.byteLength(text) <= MAX_SCHEMA_SIZE) return schema;
  throw new TooLarge("The schema of its input is too large.", "in-this-detail");
}

/** Records which of these are too large by themselves, so that no other operation reads them again. */
function remember(
  document: JsonObject,
  suspects: readonly unknown[],
  detail: Detail,
  reading: DocumentReading,
): void {
  const found = reading.foundOf(detail);
  for (const suspect of suspects.filter((one) => !found.has(one)).slice(0, MAX_SUSPECTS)) {
    const mapper = createSchemaMapper(document, detail, reading);
    try {
      const schema = typeof suspect === "string" ? { $ref: suspect } : suspect;
      withDefinitions(mapper.toJsonSchema(schema), mapper, reading);
      found.set(suspect, null);
    } catch (error) {
      if (!(error instanceof UnusableOperation)) throw error;
      found.set(suspect, error instanceof TooLarge ? error : null);
    }
  }
}
