/** Turns an operation of the document into a tool: its arguments in one flat object, and its description. */
import type { JsonObject } from "../../../runtime/index.ts";
import type { ApiOperationOptions, ApiTool, BodyInput, FieldEncoding, Parameter } from "../api-tool.ts";
import { isHeaderValue, type Reserved } from "../exchange/credentials.ts";
import { fieldOf, isJsonObject, objectAt, textAt, toShownText } from "../json-value.ts";
import { type DocumentReading, followRefs, UnusableOperation } from "./document-reading.ts";
import { parsePathTemplate } from "./path-template.ts";
import { type DeclaredParameter, isJsonType, readParameters } from "./read-parameters.ts";
import { type Argument, toInputSchema } from "./to-input-schema.ts";

const MAX_DESCRIPTION_LENGTH = 1_500;

const READS: ReadonlySet<string> = new Set(["get", "head", "options", "trace"]);

/** @throws UnusableOperation with the reason why it can't be a tool. */
export function readOperation(
  document: JsonObject,
  options: ApiOperationOptions,
  reserved: Reserved,
  reading: DocumentReading,
): ApiTool {
  const item = readItem(document, fieldOf(objectAt(document, "paths"), options.path));
  const operation = fieldOf(item, options.method);
  if (!isJsonObject(operation)) throw new UnusableOperation("Its document has no such operation.");
  const declared = readParameters(document, item, operation, reserved);
  const body = readBody(document, operation);
  reading.spend({ schemas: 1 + declared.length, names: body?.fields.size ?? 0 });
  assertFilled(options.path, declared);
  const taken = new Set<string>();
  const parameters = nameArguments(declared, taken);
  const bodyInput = body && nameBody(body, taken);
  return {
    operation: options,
    parameters: parameters.map(({ parameter }) => parameter),
    body: bodyInput,
    offered: Object.freeze({
      name: options.name,
      description: describe(options, operation),
      inputSchema: toInputSchema(document, toArguments(parameters, body, bodyInput), reading),
      annotations: annotationsOf(options.method),
    }),
  };
}

/** A path item with its reference resolved; fields beside the reference take precedence. */
function readItem(document: JsonObject, item: unknown): JsonObject {
  const referred = followRefs(document, item);
  return isJsonObject(item) ? { ...referred, ...item } : referred;
}

/** Every name in the path's template must have a parameter. */
function assertFilled(path: string, declared: readonly DeclaredParameter[]): void {
  const known = new Set(declared.filter(({ place }) => place === "path").map(({ name }) => name));
  if (!parsePathTemplate(path).names.every((name) => known.has(name))) {
    throw new UnusableOperation("Its path has a parameter that isn't declared.");
  }
}

interface Named {
  readonly declared: DeclaredParameter;
  readonly parameter: Parameter;
}

/** Plain names, path parameters first; if a name is taken, the parameter becomes `query_id` or `header_id`. */
function nameArguments(declared: readonly DeclaredParameter[], taken: Set<string>): Named[] {
  const named = new Map<DeclaredParameter, string>();
  for (const place of ["path", "query", "header", "cookie"] as const) {
    for (const parameter of declared.filter((one) => one.place === place)) {
      const isTaken = taken.has(parameter.name) || parameter.name === "body";
      named.set(parameter, takeName(isTaken ? `${place}_${parameter.name}` : parameter.name, taken));
    }
  }
  return declared.map((one) => {
    const { name, place, style, explode, allowReserved, isJson } = one;
    const argument = named.get(one) ?? name;
    return { declared: one, parameter: { argument, name, place, style, explode, allowReserved, isJson } };
  });
}

const nameBody = ({ kind, mediaType, fields }: DeclaredBody, taken: Set<string>): BodyInput => ({
  argument: takeName("body", taken),
  kind,
  mediaType,
  fields,
});

function toArguments(
  named: readonly Named[],
  body: DeclaredBody | null,
  input: BodyInput | null,
): readonly Argument[] {
  const args = named.map(({ declared: { schema, description, isRequired }, parameter }) => ({
    name: parameter.argument,
    schema,
    description,
    isRequired,
  }));
  if (body === null || input === null) return args;
  const { schema, description, isRequired } = body;
  return [...args, { name: input.argument, schema, description, isRequired }];
}

/** THREAT: the document's text, which a model reads: truncated, and without invisible characters. */
function describe({ method, path }: ApiOperationOptions, operation: JsonObject): string {
  const texts = [textAt(operation, "summary"), textAt(operation, "description")];
  const distinct = [...new Set(texts.map((text) => toShownText(text ?? "", MAX_DESCRIPTION_LENGTH)))];
  const isOld = fieldOf(operation, "deprecated") === true ? ["Deprecated."] : [];
  const place = `${method.toUpperCase()} ${toShownText(path, 300)}`;
  return toShownText(
    [...distinct.filter((text) => text !== ""), ...isOld, place].join("\n\n"),
    MAX_DESCRIPTION_LENGTH,
  );
}

const annotationsOf = (method: string): JsonObject => ({
  readOnlyHint: READS.has(method),
  ...(!READS.has(method) && { destructiveHint: method === "delete" || method === "put" }),
  idempotentHint: READS.has(method) || method === "put" || method === "delete",
  openWorldHint: true,
});

/** Adds an unused name similar to the wanted one: plain characters, at most 64, which every MCP client accepts. */
function takeName(wanted: string, taken: Set<string>): string {
  const plain =
    wanted
      .replaceAll(/[^A-Za-z0-9_.-]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, 60) || "value";
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`;
  taken.add(name);
  return name;
}

/** A body with its schema, as the document has it. */
interface DeclaredBody extends Omit<BodyInput, "argument"> {
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
function readBody(document: JsonObject, operation: JsonObject): DeclaredBody | null {
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
