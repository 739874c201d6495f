/** The parameters of an operation: those of its path, and its own, which replace them. */
import type { JsonObject } from "../../../runtime/index.ts";
import type { Parameter } from "../api-tool.ts";
import { isParameterPlace, type ParameterPlace, type Reserved } from "../exchange/credentials.ts";
import { fieldOf, isJsonObject, listAt, objectAt, textAt } from "../json-value.ts";
import { followRefs, UnusableOperation } from "./document-reading.ts";

/** A parameter with its schema, as the document has it. */
export interface DeclaredParameter extends Omit<Parameter, "argument"> {
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: string;
}

const STYLES: Readonly<Record<ParameterPlace, readonly string[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};
const MAX_PARAMETERS = 200;

/** All parameters that a tool may set, in the document's order, without reserved ones. */
export function readParameters(
  document: JsonObject,
  item: JsonObject,
  operation: JsonObject,
  reserved: Reserved,
): DeclaredParameter[] {
  const declared = [...listAt(item, "parameters"), ...listAt(operation, "parameters")];
  if (declared.length > MAX_PARAMETERS) throw new UnusableOperation("It has too many parameters.");
  const found = new Map<string, DeclaredParameter>();
  for (const value of declared) {
    const parameter = readParameter(document, followRefs(document, value));
    found.set(`${parameter.place} ${parameter.name}`, parameter);
  }
  return [...found.values()].filter(({ place, name }) => !reserved.has(place, name));
}

function readParameter(document: JsonObject, parameter: JsonObject): DeclaredParameter {
  const place = fieldOf(parameter, "in");
  const name = textAt(parameter, "name");
  if (!isParameterPlace(place) || name === undefined || name === "") {
    throw new UnusableOperation("One of its parameters has no name, or no place that there is.");
  }
  const style = textAt(parameter, "style") ?? STYLES[place][0] ?? "";
  if (!STYLES[place].includes(style)) {
    throw new UnusableOperation(`One of its ${place} parameters has a style that those can't have.`);
  }
  const explode = fieldOf(parameter, "explode");
  const media = Object.entries(objectAt(parameter, "content"))[0];
  const type = media?.[0];
  if (type !== undefined && !isJsonType(type) && !type.startsWith("text/")) {
    throw new UnusableOperation("One of its parameters is to be written in a format that isn't known here.");
  }
  return {
    name,
    place,
    style,
    explode: typeof explode === "boolean" ? explode : style === "form",
    allowReserved: place === "query" && fieldOf(parameter, "allowReserved") === true,
    isJson: type !== undefined && isJsonType(type),
    isRequired: place === "path" || fieldOf(parameter, "required") === true,
    schema: schemaOf(document, parameter, media?.[1]),
    description: textAt(parameter, "description") ?? "",
  };
}

function schemaOf(document: JsonObject, parameter: JsonObject, media: unknown): unknown {
  if (media !== undefined) return fieldOf(followRefs(document, media), "schema") ?? {};
  const schema = fieldOf(parameter, "schema") ?? {};
  const example = fieldOf(parameter, "example");
  return isJsonObject(schema) && example !== undefined && !("$ref" in schema)
    ? { example, ...schema }
    : schema;
}

/** `application/json` and types ending with `+json`, with any parameters. */
export const isJsonType = (type: string): boolean =>
  /^(?:application|text)\/(?:[\w.!#$&^-]+\+)?json(?:\s*;.*)?$/i.test(type);
