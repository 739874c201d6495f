/**
 * The arguments of a tool, declared once: as JSON Schema for the model, and for validation. An unknown argument is an
 * error.
 */
import { SluicegateError } from "../../../errors/index.ts";
import { isJsonObject } from "../../../json/json-object.ts";
import type { JsonObject } from "../../../runtime/index.ts";
import { MAX_ARGUMENT_LENGTH, MAX_PATH_LENGTH, MAX_PATH_NAMES } from "../limits.ts";

export interface Parameter<T> {
  readonly schema: JsonObject;
  readonly required: boolean;
  /** Other names that agents use for it. */
  readonly aliases: readonly string[];
  readonly missing: T;
  /** The value, or the end of a sentence about what it must be. */
  readonly read: (value: unknown) => { readonly value: T } | { readonly mustBe: string };
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type Values<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

/** A required text. */
export const text = (description: string, ...aliases: readonly string[]): Parameter<string> => ({
  schema: { type: "string", description },
  required: true,
  aliases,
  missing: "",
  read: readText,
});

/** A required path. */
export const path = (description: string, ...aliases: readonly string[]): Parameter<string> => ({
  ...text(description, ...aliases),
  read: readPath,
});

export const optionalText = (description: string): Parameter<string | undefined> => ({
  schema: { type: "string", description },
  required: false,
  aliases: [],
  missing: undefined,
  read: readText,
});

/** A path that defaults to the root. */
export const optionalPath = (description: string, ...aliases: readonly string[]): Parameter<string> => ({
  ...path(description, ...aliases),
  required: false,
  missing: ".",
});

export const flag = (description: string, missing = false): Parameter<boolean> => ({
  schema: { type: "boolean", description, default: missing },
  required: false,
  aliases: [],
  missing,
  read: (value) => (typeof value === "boolean" ? { value } : { mustBe: "true or false" }),
});

export const integer = (
  description: string,
  range: { readonly minimum: number; readonly maximum: number },
): Parameter<number | undefined> => ({
  schema: { type: "integer", description, ...range },
  required: false,
  aliases: [],
  missing: undefined,
  read: (value) =>
    typeof value === "number" &&
    Number.isSafeInteger(value) &&
    value >= range.minimum &&
    value <= range.maximum
      ? { value }
      : { mustBe: `a whole number from ${range.minimum} to ${range.maximum}` },
});

export const oneOf = <T extends string>(
  description: string,
  values: readonly T[],
  missing: T,
): Parameter<T> => ({
  schema: { type: "string", description, enum: values, default: missing },
  required: false,
  aliases: [],
  missing,
  read: (value) => {
    const found = values.find((known) => known === value);
    return found === undefined ? { mustBe: `one of ${values.join(", ")}` } : { value: found };
  },
});

/** The parameters as JSON Schema, without aliases, so that a model sees one name for each. */
export function toInputSchema(parameters: Parameters): JsonObject {
  const entries = Object.entries(parameters);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
  };
}

/** @throws SluicegateError `invalid-request` with the argument's name, never its value */
export function readArguments<P extends Parameters>(tool: string, parameters: P, given: unknown): Values<P> {
  if (!isJsonObject(given)) {
    throw wrongArguments(tool, "Its arguments must be a JSON object.");
  }
  const known = new Set(Object.entries(parameters).flatMap(([name, { aliases }]) => [name, ...aliases]));
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw wrongArguments(tool, `It has no argument \`${shown(unknown)}\`. It takes ${listed(parameters)}.`);
  }
  const values = Object.entries(parameters).map(([name, parameter]) => [
    name,
    readOne(tool, name, parameter, new Map(Object.entries(given))),
  ]);
  return Object.fromEntries(values) as Values<P>; // each value was read by the parameter of its name
}

function readOne(tool: string, name: string, parameter: Parameter<unknown>, given: Map<string, unknown>) {
  const names = [name, ...parameter.aliases].filter((alias) => given.get(alias) !== undefined);
  if (names.length > 1) throw wrongArguments(tool, `\`${names.join("` and `")}\` mean the same; give one.`);
  if (names[0] === undefined) {
    if (parameter.required) throw wrongArguments(tool, `Its argument \`${name}\` is missing.`);
    return parameter.missing;
  }
  const read = parameter.read(given.get(names[0]));
  if ("mustBe" in read) throw wrongArguments(tool, `\`${names[0]}\` must be ${read.mustBe}.`);
  return read.value;
}

function readText(value: unknown): { value: string } | { mustBe: string } {
  if (typeof value !== "string") return { mustBe: "a text" };
  if (value.length > MAX_ARGUMENT_LENGTH)
    return { mustBe: `a text of at most ${MAX_ARGUMENT_LENGTH} characters` };
  return value.isWellFormed() ? { value } : { mustBe: "a text that can be written as UTF-8" };
}

function readPath(value: unknown): { value: string } | { mustBe: string } {
  const read = readText(value);
  if ("mustBe" in read) return { mustBe: "a path, written as a text" };
  if (read.value === "" || read.value.includes("\0")) return { mustBe: "a path that names something" };
  return read.value.length > MAX_PATH_LENGTH || read.value.split("/").length > MAX_PATH_NAMES
    ? { mustBe: `a path of at most ${MAX_PATH_LENGTH} characters and ${MAX_PATH_NAMES} names` }
    : read;
}

const shown = (name: string): string => name.replaceAll(/[^\w.-]/g, "?").slice(0, 64);
const listed = (parameters: Parameters): string =>
  Object.keys(parameters)
    .map((name) => `\`${name}\``)
    .join(", ");

const wrongArguments = (tool: string, why: string): SluicegateError =>
  new SluicegateError("invalid-request", `\`${tool}\` can't take these arguments.`, {
    why,
    fix: "Call it again with arguments that fit its input schema.",
  });
