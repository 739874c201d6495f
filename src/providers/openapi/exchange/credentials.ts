/**
 * What no tool may set in a request: the names of the operator's credentials, and headers that control the exchange.
 */
import { normalize } from "../../../core/index.ts";
import type { JsonObject } from "../../../runtime/index.ts";
import type { ApiOptions } from "../api-tool.ts";
import { followRefs } from "../document/document-reading.ts";
import { objectAt, textAt } from "../json-value.ts";

export type ParameterPlace = "path" | "query" | "header" | "cookie";

export interface Reserved {
  /** Whether a parameter is reserved, and can't be set in any other way. */
  has(place: ParameterPlace, name: string): boolean;
  /** Whether a form may not have such a field: many servers prefer it to the query's parameter of that name. */
  hasField(name: string): boolean;
}

/** In lower case. OpenAPI itself excludes `accept`, `content-type` and `authorization`. */
const STEERING: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "cookie2",
  "expect",
  "forwarded",
  "host",
  "keep-alive",
  "origin",
  "referer",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  // These could turn a read into a write.
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
  "x-real-ip",
]);
const STEERING_START = /^(?:proxy-|sec-|x-forwarded-|:)/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Headers that belong to the exchange; the operator can't set them either. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Reserved names of an API: from the options, from the document's security schemes, and fixed ones. */
export function reservedOf({
  headers,
  query,
  document,
}: Pick<ApiOptions, "headers" | "query" | "document">): Reserved {
  const schemes = Object.values(objectAt(objectAt(document, "components"), "securitySchemes")).flatMap(
    (scheme) => apiKeyOf(document, scheme),
  );
  const own = [
    ...Object.keys(headers).map((name) => keyOf("header", name)),
    ...Object.keys(query).map((name) => keyOf("query", name)),
  ];
  const fields = new Set(Object.keys(query).map((name) => keyOf("query", name)));
  const names = new Set([...own, ...schemes]);
  const hasCookies = names.has(keyOf("header", "cookie"));
  return {
    has: (place, name) => {
      if (names.has(keyOf(place, name))) return true;
      if (place === "cookie") return hasCookies;
      if (place === "query") return STEERING_QUERY.has(keyOf(place, name));
      return place === "header" && isSteering(name.toLowerCase());
    },
    hasField: (name) => fields.has(keyOf("query", name)),
  };
}

const isSteering = (name: string): boolean =>
  !HEADER_NAME.test(name) || STEERING.has(dashed(name)) || STEERING_START.test(dashed(name));

/** Some servers pass headers as variables (`HTTP_X_API_KEY`). */
const dashed = (name: string): string => name.replaceAll("_", "-");

/**
 * THREAT: servers accept other spellings of a name: any letter case, `_` for `-` in headers, and in queries
 * `api.key`, ` api_key` and `api_key[]` for `api_key`.
 */
function keyOf(place: string, name: string): string {
  const plain = normalize(name, "NFKC").toLowerCase();
  if (place === "header") return `header ${dashed(plain)}`;
  if (place !== "query") return `${place} ${plain}`;
  const [whole = ""] = plain.split(/[[\0]/, 1);
  return `query ${whole.trim().replaceAll(/[ .]/g, "_")}`;
}

const STEERING_QUERY: ReadonlySet<string> = new Set(
  ["_method", "x-http-method-override", "$httpmethod"].map((name) => keyOf("query", name)),
);

function apiKeyOf(document: JsonObject, scheme: unknown): string[] {
  let found: JsonObject;
  try {
    found = followRefs(document, scheme);
  } catch {
    return [];
  }
  const place = textAt(found, "in");
  const name = textAt(found, "name");
  return textAt(found, "type") === "apiKey" && place !== undefined && name !== undefined
    ? [keyOf(place, name)]
    : [];
}

/** Why the operator's headers can't be sent; null if they can. Contains names only, never a value. */
export function problemOfHeaders(headers: Readonly<Record<string, string>>): string | null {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) return "One of its `headers` has a name that no header can have.";
    if (RESERVED_HEADERS.has(name.toLowerCase()))
      return `Its \`headers\` may not hold \`${name.toLowerCase()}\`.`;
    if (!isHeaderValue(value))
      return `The value of its header \`${name}\` has characters that none can have.`;
  }
  return null;
}

/** Visible ASCII, spaces and tabs. */
export const isHeaderValue = (value: unknown): value is string =>
  typeof value === "string" && /^[\t\x20-\x7e]*$/.test(value);

export const isParameterPlace = (place: unknown): place is ParameterPlace =>
  place === "path" || place === "query" || place === "header" || place === "cookie";
