/** The operations of an OpenAPI document, in its order, each with the name under which it is a tool. */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../document/json-value.ts";

/** An operation by its name. */
export interface NamedOperation {
  readonly name: string;
  /** In lower case. */
  readonly method: string;
  readonly path: string;
}

/** Why a document's operations can't be listed, as the end of a sentence that begins with its name. */
export class UnlistableError extends Error {}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
const MAX_NAME_LENGTH = 64;

/** @throws UnlistableError for a path that can't be read. */
export function listOperations(document: JsonObject): readonly NamedOperation[] {
  const found: { base: string; method: string; path: string }[] = [];
  for (const [path, item] of entriesOf(ownValue(document, "paths"))) {
    if (path.startsWith("x-")) continue;
    if (!path.startsWith("/")) throw new UnlistableError(`has a path that doesn't begin with \`/\``);
    for (const [method, operation] of methodsOf(item, document)) {
      found.push({ base: nameOf(operation, method, path), method, path });
    }
  }
  return withNames(found);
}

const entriesOf = (value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] =>
  isJsonObject(value) ? Object.entries(value) : [];

/** The methods of a path, in the order in which they stand there. */
function methodsOf(item: JsonValue, document: JsonObject): readonly (readonly [string, JsonValue])[] {
  const entries = entriesOf(resolveItem(item, document));
  return entries.filter(
    ([key, operation]) => METHODS.some((method) => method === key) && isJsonObject(operation),
  );
}

/** How many references a path may lead through. */
const MAX_REFERENCES = 16;

/** A path item with its `$ref` followed inside the document; what stands beside one counts before it. */
function resolveItem(item: JsonValue, document: JsonObject): JsonObject {
  let merged: JsonObject = {};
  let next: JsonValue | undefined = item;
  for (let followed = 0; followed <= MAX_REFERENCES; followed += 1) {
    if (!isJsonObject(next)) throw new UnlistableError("has a path that isn't an object");
    merged = { ...next, ...merged };
    const reference: JsonValue | undefined = ownValue(next, "$ref");
    if (reference === undefined) return merged;
    if (typeof reference !== "string" || !reference.startsWith("#/"))
      throw new UnlistableError("has a path with a `$ref` to another document, which isn't followed");
    next = atPointer(document, reference.slice(2));
    if (next === undefined) throw new UnlistableError("has a path with a `$ref` that leads nowhere in it");
  }
  throw new UnlistableError("has a path whose `$ref` leads in a circle");
}

/** RFC 6901, in a URI fragment. */
function atPointer(document: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const token of pointer.split("/")) {
    if (!isJsonObject(value)) return undefined;
    value = ownValue(value, decoded(token).replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return value;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** An operation's own id as a tool's name, or one from its method and path: `get_users_by_id`. */
function nameOf(operation: JsonValue, method: string, path: string): string {
  const id = isJsonObject(operation) ? ownValue(operation, "operationId") : undefined;
  return cleaned(typeof id === "string" ? id : "") || cleaned(`${method}${path.replaceAll("{", "by_")}`);
}

const cleaned = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, MAX_NAME_LENGTH);

/**
 * Of several that would be called the same, the first keeps the name and the others get a number; never one that
 * another operation has by itself.
 */
function withNames(
  found: readonly { readonly base: string; readonly method: string; readonly path: string }[],
): readonly NamedOperation[] {
  const bases = new Set(found.map(({ base }) => base));
  const taken = new Set<string>();
  const last = new Map<string, number>();
  return found.map(({ base, method, path }) => {
    let name = base;
    for (
      let number = (last.get(base) ?? 1) + 1;
      taken.has(name) || (name !== base && bases.has(name));
      number += 1
    ) {
      name = `${base.slice(0, MAX_NAME_LENGTH - `_${number}`.length)}_${number}`;
      last.set(base, number);
    }
    taken.add(name);
    return Object.freeze({ name, method, path });
  });
}
