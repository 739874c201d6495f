/**
 * Values in a request, by OpenAPI's `style` and `explode` (after RFC 6570). THREAT: the model chooses the values.
 * Characters with a meaning are percent-encoded or refused, so a value never becomes another parameter, header or
 * part of the path.
 */
import type { Parameter } from "../api-tool.ts";
import { isJsonObject } from "../json-value.ts";
import { isHeaderValue } from "./credentials.ts";

/** The problem with an argument, in a sentence that names it. */
export class WrongArgument extends Error {}

/** A name and its value in a query or a form, not yet encoded, with the separator of the values. */
interface Pair {
  readonly name: string;
  readonly values: readonly string[];
  /** Written between the values without encoding. */
  readonly separator: string;
  readonly allowReserved: boolean;
}

type Styled = Pick<Parameter, "name" | "style" | "explode" | "allowReserved" | "isJson" | "argument">;

const SEPARATORS: ReadonlyMap<string, string> = new Map([
  ["form", ","],
  ["spaceDelimited", "%20"],
  ["pipeDelimited", "%7C"],
]);
const MAX_PAIRS = 2_000;

/** Encodes everything except RFC 3986's unreserved characters. */
function encode(text: string, argument: string): string {
  if (!text.isWellFormed()) throw new WrongArgument(`\`${argument}\` holds characters that are cut in two.`);
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Delimiters of a query are encoded even if reserved characters may stay. */
const encodeReserved = (text: string, argument: string): string =>
  encode(text, argument).replaceAll(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C)/g, decodeURIComponent);

export function encodePair({ name, values, separator, allowReserved }: Pair, argument: string): string {
  const encodeValue = allowReserved ? encodeReserved : encode;
  return `${encode(name, argument)}=${values.map((value) => encodeValue(value, argument)).join(separator)}`;
}

/** A value in a request: a scalar as its text, anything else as JSON. */
export const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const listOf = (values: readonly unknown[]): string[] => values.filter((value) => value !== null).map(toText);

const entriesOf = (value: object): [string, string][] =>
  Object.entries(value)
    .filter(([, child]) => child !== null)
    .map(([name, child]) => [name, toText(child)]);

/** The pairs of a query parameter or a form field; none for null, an empty list or an empty object. */
export function toPairs(parameter: Styled, value: unknown): Pair[] {
  const { name, style, allowReserved, isJson } = parameter;
  const separator = SEPARATORS.get(style) ?? ",";
  const pair: ToPair = (of, ...values) => ({ name: of, values, separator, allowReserved });
  if (value === null || value === undefined) return [];
  if (isJson) return [pair(name, JSON.stringify(value))];
  if (typeof value !== "object") return [pair(name, toText(value))];
  if (style === "deepObject") return deepPairs(parameter, value, pair);
  return Array.isArray(value) ? listPairs(parameter, value, pair) : objectPairs(parameter, value, pair);
}

type ToPair = (name: string, ...values: string[]) => Pair;

function listPairs({ name, explode }: Styled, value: readonly unknown[], pair: ToPair): Pair[] {
  const texts = listOf(value);
  if (explode) return texts.map((text) => pair(name, text));
  return texts.length === 0 ? [] : [pair(name, ...texts)];
}

function objectPairs({ name, explode, argument }: Styled, value: object, pair: ToPair): Pair[] {
  const entries = entriesOf(value);
  if (entries.length > MAX_PAIRS) throw new WrongArgument(`\`${argument}\` has too many fields.`);
  if (explode) return entries.map(([field, text]) => pair(field, text));
  return entries.length === 0 ? [] : [pair(name, ...entries.flat())];
}

/** `filter[status]=open`, nested objects in the same way; a list repeats its name. */
function deepPairs({ name, argument }: Styled, value: object, pair: ToPair): Pair[] {
  const pairs: Pair[] = [];
  const add = (prefix: string, child: unknown, depth: number): void => {
    if (pairs.length > MAX_PAIRS || depth > 8) {
      throw new WrongArgument(`\`${argument}\` has too many fields, or is nested too deep.`);
    }
    if (Array.isArray(child)) for (const item of child) add(prefix, item, depth + 1);
    else if (isJsonObject(child)) {
      for (const [field, inner] of Object.entries(child)) add(`${prefix}[${field}]`, inner, depth + 1);
    } else if (child !== null) pairs.push(pair(prefix, toText(child)));
  };
  add(name, value, 0);
  return pairs;
}

/** The encoded text that replaces `{name}` in a path. */
export function toPathPart(parameter: Styled, value: unknown): string {
  const { name, style, explode, argument, isJson } = parameter;
  const code = (text: string): string => encode(text, argument);
  if (isJson) return code(JSON.stringify(value));
  const list = pathTexts(value, explode).map((parts) => parts.map(code).join("="));
  if (list.every((text) => text === "")) {
    throw new WrongArgument(
      `\`${argument}\` is empty, and it stands in the path, where nothing would be left of it.`,
    );
  }
  const comma = list.join(",");
  if (style === "label") return `.${explode ? list.join(".") : comma}`;
  if (style !== "matrix") return comma;
  if (!explode || typeof value !== "object") return `;${code(name)}=${comma}`;
  return list.map((text) => (Array.isArray(value) ? `;${code(name)}=${text}` : `;${text}`)).join("");
}

/** Each text, with its name before it if it belongs to an exploded object. */
function pathTexts(value: unknown, explode: boolean): string[][] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return listOf(value).map((text) => [text]);
  if (!isJsonObject(value)) return [[toText(value)]];
  const entries = entriesOf(value);
  return explode ? entries : entries.flat().map((text) => [text]);
}

/** A header's value; null if nothing is sent. */
export function toHeaderValue({ explode, isJson, argument }: Styled, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = isJson
    ? JSON.stringify(value)
    : pathTexts(value, explode)
        .map((parts) => parts.join("="))
        .join(",");
  if (!isHeaderValue(text)) {
    throw new WrongArgument(`\`${argument}\` has characters that no header can have, such as a line break.`);
  }
  return text;
}

/** `name=value`; a list or an object keeps the parameter's name, so that it can't set another cookie. */
export function toCookie({ name, argument, isJson }: Styled, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const texts = isJson ? [JSON.stringify(value)] : pathTexts(value, false).flat();
  return `${encode(name, argument)}=${texts.map((text) => encode(text, argument)).join(",")}`;
}
