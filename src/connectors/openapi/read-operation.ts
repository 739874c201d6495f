/** From an operation of the document to a tool: its arguments in one flat object, and what is told of it. */
import type { JsonObject } from "../../session/index.ts";
import type { ApiOperationOptions } from "./api-options.ts";
import type { ApiTool, BodyInput, Parameter } from "./api-tool.ts";
import type { Reserved } from "./credentials.ts";
import { fieldOf, isJsonObject, objectAt, textAt, toShownText } from "./json-value.ts";
import { followRefs } from "./local-ref.ts";
import { parsePathTemplate } from "./path-template.ts";
import { type DeclaredBody, readBody } from "./read-body.ts";
import { type DeclaredParameter, readParameters } from "./read-parameters.ts";
import { createSchemaMapper, type Detail } from "./to-json-schema.ts";
import { takeName } from "./unique-name.ts";
import { UnusableOperation } from "./unusable-operation.ts";

/** Bytes of a tool's input schema. */
const LARGEST_SCHEMA = 48 * 1024;
const LONGEST_DESCRIPTION = 1_500;

/** Tried in turn until the schema is small enough. */
const DETAILS: readonly Detail[] = [
  { description: 600, examples: true, depth: 40 },
  { description: 160, examples: false, depth: 40 },
  { description: 0, examples: false, depth: 12 },
  { description: 0, examples: false, depth: 4 },
];

const READS: ReadonlySet<string> = new Set(["get", "head", "options", "trace"]);

/** @throws UnusableOperation, which says why it can't be a tool. */
export function readOperation(
  document: JsonObject,
  options: ApiOperationOptions,
  reserved: Reserved,
): ApiTool {
  const item = readItem(document, fieldOf(objectAt(document, "paths"), options.path));
  const operation = fieldOf(item, options.method);
  if (!isJsonObject(operation)) throw new UnusableOperation("Its document has no such operation.");
  const declared = readParameters(document, item, operation, reserved);
  const body = readBody(document, operation);
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
      inputSchema: toInputSchema(document, parameters, body, bodyInput),
      annotations: annotationsOf(options.method),
    }),
  };
}

/** A path with what it refers to; what stands beside a reference counts before it. */
function readItem(document: JsonObject, item: unknown): JsonObject {
  const referred = followRefs(document, item);
  return isJsonObject(item) ? { ...referred, ...item } : referred;
}

/** Every name in the path's template has a parameter. */
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

/** Plain names, those of the path first; what would have a name that is taken is called `query_id`, `header_id`. */
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

function toInputSchema(
  document: JsonObject,
  named: readonly Named[],
  body: DeclaredBody | null,
  input: BodyInput | null,
): JsonObject {
  for (const detail of DETAILS) {
    const schemas = createSchemaMapper(document, detail);
    const toProperty = (schema: unknown, description: string): JsonObject => {
      const text = toShownText(description, detail.description);
      return { ...schemas.toJsonSchema(schema), ...(text !== "" && { description: text }) };
    };
    const properties: [string, JsonObject][] = named.map(({ declared, parameter }) => [
      parameter.argument,
      toProperty(declared.schema, declared.description),
    ]);
    const required = named
      .filter(({ declared }) => declared.isRequired)
      .map(({ parameter }) => parameter.argument);
    if (body && input) {
      properties.push([input.argument, toProperty(body.schema, body.description)]);
      if (body.isRequired) required.push(input.argument);
    }
    const definitions = schemas.definitions();
    const schema = {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    };
    if (Buffer.byteLength(JSON.stringify(schema)) <= LARGEST_SCHEMA) return schema;
  }
  throw new UnusableOperation("The schema of its input is too large.");
}

/** THREAT: the document's own words, which a model reads: bounded, and without what can't be seen. */
function describe({ method, path }: ApiOperationOptions, operation: JsonObject): string {
  const texts = [textAt(operation, "summary"), textAt(operation, "description")];
  const distinct = [...new Set(texts.map((text) => toShownText(text ?? "", LONGEST_DESCRIPTION)))];
  const isOld = fieldOf(operation, "deprecated") === true ? ["Deprecated."] : [];
  const place = `${method.toUpperCase()} ${toShownText(path, 300)}`;
  return toShownText(
    [...distinct.filter((text) => text !== ""), ...isOld, place].join("\n\n"),
    LONGEST_DESCRIPTION,
  );
}

const annotationsOf = (method: string): JsonObject => ({
  readOnlyHint: READS.has(method),
  ...(!READS.has(method) && { destructiveHint: method === "delete" || method === "put" }),
  idempotentHint: READS.has(method) || method === "put" || method === "delete",
  openWorldHint: true,
});
