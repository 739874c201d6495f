/** The body of an operation, in the first format that can be written here. */
import type { JsonObject } from "../../../runtime/index.ts";
import type { BodyInput, FieldEncoding } from "../api-tool.ts";
import { UnusableOperation } from "../document/document-reading.ts";
import { followRefs } from "../document/local-ref.ts";
import { isJsonType } from "../document/read-parameters.ts";
import { fieldOf, isJsonObject, objectAt, textAt } from "../json-value.ts";
import { isHeaderValue } from "./credentials.ts";

/** A body with its schema, as the document has it. */
export interface DeclaredBody extends Omit<BodyInput, "argument"> {
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: string;
}

type Kind = BodyInput["kind"];

/** Best first. */
const KINDS: readonly (readonly [Kind, (type: string) => boolean])[] = [
  ["json", isJsonType],
  ["form", (type) => /^application\/x-www-form-urlencoded\b/i.test(type)],
  ["multipart", (type) => /^multipart\/form-data\b/i.test(type)],
  ["text", (type) => /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:xml|yaml))(?:\s*;.*)?$/i.test(type)],
];

/** Null if there is none, or if none of its formats can be written and the body is optional. */
export function readBody(document: JsonObject, operation: JsonObject): DeclaredBody | null {
  const declared = fieldOf(operation, "requestBody");
  if (declared === undefined) return null;
  const request = followRefs(document, declared);
  const isRequired = fieldOf(request, "required") === true;
  const content = Object.entries(objectAt(request, "content")).filter(([type]) => isHeaderValue(type));
  for (const [kind, isKind] of KINDS) {
    const found = content.find(([type]) => isKind(type));
    if (found === undefined) continue;
    const [mediaType, value] = found;
    const media = followRefs(document, value);
    return {
      kind,
      mediaType,
      isRequired,
      schema: fieldOf(media, "schema") ?? (kind === "text" ? { type: "string" } : {}),
      description: textAt(request, "description") ?? "",
      fields: kind === "form" || kind === "multipart" ? encodingsOf(document, media) : new Map(),
    };
  }
  if (!isRequired) return null;
  throw new UnusableOperation(
    "It takes a body in a format that isn't written here: there are JSON, forms, multipart forms and text.",
  );
}

function encodingsOf(document: JsonObject, media: JsonObject): Map<string, FieldEncoding> {
  const schema = fieldOf(media, "schema");
  const properties = schema === undefined ? {} : objectAt(followRefs(document, schema), "properties");
  const encodings = objectAt(media, "encoding");
  const names = new Set([...Object.keys(properties), ...Object.keys(encodings)]);
  return new Map(
    [...names].map((name) => [name, toEncoding(objectAt(encodings, name), fieldOf(properties, name))]),
  );
}

function toEncoding(encoding: JsonObject, property: unknown): FieldEncoding {
  const style = textAt(encoding, "style") ?? null;
  const explode = fieldOf(encoding, "explode");
  const type = textAt(encoding, "contentType")?.split(",")[0]?.trim();
  const format = isJsonObject(property) ? textAt(property, "format") : undefined;
  return {
    style,
    explode: typeof explode === "boolean" ? explode : (style ?? "form") === "form",
    allowReserved: fieldOf(encoding, "allowReserved") === true,
    contentType: isHeaderValue(type) && /^[^*;,\s]+\/[^*;,\s]+$/.test(type) ? type : null,
    isFile: format === "binary" || format === "byte" || (isJsonObject(property) && isFileSchema(property)),
  };
}

/** In the form of OpenAPI 3.1. */
const isFileSchema = (property: JsonObject): boolean =>
  textAt(property, "contentMediaType") !== undefined && fieldOf(property, "type") === undefined;
