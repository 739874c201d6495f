/**
 * Finds an argument that a tool's input schema requires and that is missing, or one of another type. Patterns, limits
 * and conditions of the schema aren't examined: the server does that.
 */
import { Meter, quoteName, withinMeter } from "../../core/index.ts";
import { isJsonObject, type JsonObject } from "../../json/json-object.ts";
import { listIn, own, resolveRef } from "./unknown-argument.ts";

const MAX_DEPTH = 64;
/** Parts of schemas and values examined for one call. THREAT: a server may write a schema that refers to itself. */
const MAX_STEPS = 100_000;

/** The problem in a sentence; null if there is none, or if the schema is too large to tell. */
export const findInvalidArgument = (inputSchema: JsonObject, args: JsonObject): string | null =>
  withinMeter(
    () => findIn(inputSchema, args, { root: inputSchema, path: "", depth: 0, meter: new Meter(MAX_STEPS) }),
    null,
  );

interface Position {
  readonly root: JsonObject;
  readonly path: string;
  readonly depth: number;
  readonly meter: Meter;
}

function findIn(schema: unknown, value: unknown, at: Position): string | null {
  at.meter.charge(1);
  if (!isJsonObject(schema) || at.depth > MAX_DEPTH) return null;
  return (
    findWrongValue(schema, value, at) ?? findInParts(schema, value, at) ?? findInMembers(schema, value, at)
  );
}

function findInMembers(schema: JsonObject, value: unknown, at: Position): string | null {
  if (Array.isArray(value)) return findInItems(schema, value, at);
  return isJsonObject(value) ? findInFields(schema, value, at) : null;
}

const nameOf = ({ path }: Position): string => (path === "" ? "The value" : quoteName(path));

function findWrongValue(schema: JsonObject, value: unknown, at: Position): string | null {
  const types = [own(schema, "type")].flat().filter((type) => typeof type === "string");
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return `${nameOf(at)} must be of type ${types.map(quoteName).join(" or ")}.`;
  const listed = Object.hasOwn(schema, "const") ? [schema.const] : listIn(schema, "enum", at.meter);
  const isListed = listed.some((one) => one === value || (typeof one === "object" && one !== null));
  return listed.length === 0 || isListed ? null : `${nameOf(at)} has a value that the schema doesn't list.`;
}

function findInParts(schema: JsonObject, value: unknown, at: Position): string | null {
  const { root, meter } = at;
  const below = { ...at, depth: at.depth + 1 };
  const all = [resolveRef(root, own(schema, "$ref"), meter), ...listIn(schema, "allOf", meter)];
  const found = findFirst(all, (part) => findIn(part, value, below));
  if (found !== null) return found;
  const fits = (part: unknown): boolean => findIn(part, value, below) === null;
  const alternatives = ["anyOf", "oneOf"].map((key) => listIn(schema, key, meter));
  return alternatives.every((parts) => parts.length === 0 || parts.some(fits))
    ? null
    : `${nameOf(at)} fits none of the alternatives in the schema.`;
}

/** Items have the path of their list. */
function findInItems(schema: JsonObject, value: readonly unknown[], at: Position): string | null {
  const items = own(schema, "items");
  const { length } = listIn(schema, "prefixItems", at.meter);
  const below = { ...at, depth: at.depth + 1 };
  return findFirst(value.slice(length), (item) => findIn(items, item, below));
}

function findInFields(schema: JsonObject, value: JsonObject, at: Position): string | null {
  const toPath = (name: string): string => (at.path === "" ? name : `${at.path}.${name}`);
  const missing = listIn(schema, "required", at.meter).find(
    (name) => typeof name === "string" && !Object.hasOwn(value, name),
  );
  if (typeof missing === "string") return `${quoteName(toPath(missing))} is missing.`;
  const properties = own(schema, "properties");
  if (!isJsonObject(properties)) return null;
  return findFirst(Object.entries(value), ([name, inner]) =>
    findIn(own(properties, name), inner, { ...at, path: toPath(name), depth: at.depth + 1 }),
  );
}

function findFirst<Item>(items: readonly Item[], find: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** A type that isn't known fits everything. */
function isOfType(type: string, value: unknown): boolean {
  if (type === "object") return isJsonObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  return !["string", "number", "boolean"].includes(type) || typeof value === type;
}
