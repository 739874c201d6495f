/**
 * Headers that repeat arguments of a call for proxies (`Mcp-Param-*`, revision 2026-07-28, Streamable HTTP): a
 * property of an input schema requests one by `x-mcp-header`. The SDK does this only in `callTool`, which also drops
 * fields of the result.
 */

import { isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import type { OfferedTool } from "../../../runtime/index.ts";
import type { Log } from "./rate-limited-log.ts";

export interface ParamHeader {
  /** The path of the value in the arguments. */
  readonly path: readonly string[];
  readonly header: string;
}

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(["string", "integer", "boolean"]);
const PLAIN = /^[\t\x20-\x7e]+$/;
const ENCODED = /^=\?base64\?.*\?=$/;

/** The tools that can be called according to the revision, with the headers of their calls. */
export function selectCallable(
  tools: ReadonlyMap<string, OfferedTool>,
  log: Log,
): { callable: ReadonlyMap<string, OfferedTool>; headers: ReadonlyMap<string, readonly ParamHeader[]> } {
  const callable = new Map<string, OfferedTool>();
  const headers = new Map<string, readonly ParamHeader[]>();
  for (const [name, tool] of tools) {
    const wanted = paramHeadersOf(tool.inputSchema);
    if (wanted === null) {
      log(`left out the tool ${name}: its schema asks for a header in a wrong way`);
      continue;
    }
    callable.set(name, tool);
    if (wanted.length > 0) headers.set(name, wanted);
  }
  return { callable, headers };
}

/** The headers of a tool's calls; null if its schema requests one in a way that the revision forbids. */
export function paramHeadersOf(inputSchema: JsonObject): readonly ParamHeader[] | null {
  const found: ParamHeader[] = [];
  const visit = (schema: JsonObject, path: readonly string[]): void => {
    const { [KEY]: header, properties, type } = schema;
    if (typeof header === "string" && TOKEN.test(header) && TYPES.has(type) && path.length > 0) {
      found.push({ path, header });
    }
    if (!isJsonObject(properties)) return;
    for (const [name, child] of Object.entries(properties))
      if (isJsonObject(child)) visit(child, [...path, name]);
  };
  visit(inputSchema, []);
  // Keys elsewhere than under a chain of `properties`, or of a wrong form, weren't found above.
  const isUnique = new Set(found.map(({ header }) => header.toLowerCase())).size === found.length;
  return isUnique && countKeys(inputSchema) === found.length ? found : null;
}

/** How often the key is in a schema, not counting names of properties. */
function countKeys(schema: unknown, isNames = false): number {
  if (Array.isArray(schema)) return schema.reduce((sum: number, item) => sum + countKeys(item), 0);
  if (!isJsonObject(schema)) return 0;
  const own = !isNames && Object.hasOwn(schema, KEY) ? 1 : 0;
  return Object.entries(schema).reduce(
    (sum, [key, child]) => sum + countKeys(child, !isNames && key === "properties"),
    own,
  );
}

/** The headers of one call. A missing value, or a list or object, has none. */
export function toParamHeaders(headers: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  const result: [string, string][] = [];
  for (const { path, header } of headers) {
    const text = toText(path.reduce<unknown>((value, key) => ownMember(value, key), args));
    if (text !== null) result.push([`Mcp-Param-${header}`, encode(text)]);
  }
  return Object.fromEntries(result);
}

const ownMember = (value: unknown, key: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

function toText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : null;
}

function encode(text: string): string {
  const isPlain = PLAIN.test(text) && text === text.trim() && !ENCODED.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** The decoded value of a header; null if it is malformed. */
export function decodeParamHeader(value: string): string | null {
  if (!ENCODED.test(value)) return value;
  const bytes = Buffer.from(value.slice(9, -2), "base64");
  return bytes.toString("base64") === value.slice(9, -2) ? bytes.toString("utf8") : null;
}
