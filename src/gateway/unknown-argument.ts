/**
 * Finds an argument that a tool's input schema doesn't name. A server may act on arguments that it lists nowhere, and
 * then a call does more than it was decided on.
 *
 * The arguments themselves are a closed list where the schema has `properties` and doesn't say otherwise; an object
 * within them where its schema says that it is one.
 */
import { nearMiss } from "../core/index.ts";
import type { JsonObject } from "../session/index.ts";

export interface UnknownArgument {
  /** Its name behind the names that lead to it: `options.name`, `list[].name`. */
  readonly argument: string;
  /** The name that was probably meant. */
  readonly near: string | null;
}

/** The names that an object may have; null where its schema leaves them open. */
type ClosedList = ReadonlySet<string> | null;

const MAX_DEPTH = 64;
/** Parts of a schema that are read for one list. THREAT: servers write schemas that refer to themselves. */
const MAX_PARTS = 2000;
const MAX_SHOWN = 100;

/** The first argument that the schema doesn't name; null where it names all, or leaves open what there is. */
export const findUnknownArgument = (inputSchema: JsonObject, args: JsonObject): UnknownArgument | null =>
  findInObject(inputSchema, args, "", closedListOf(inputSchema, true), 0);

/** Looks at the names of an object before it goes into any of them. */
function findInObject(
  schema: JsonObject,
  value: JsonObject,
  path: string,
  names: ClosedList,
  depth: number,
): UnknownArgument | null {
  const toPath = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const unknown = names && Object.keys(value).find((name) => !names.has(name));
  if (names && typeof unknown === "string")
    return { argument: toPath(unknown).slice(0, MAX_SHOWN), near: nearMiss(unknown, names) ?? null };
  const properties = own(schema, "properties");
  if (!isObject(properties)) return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = findInValue(own(properties, name), inner, toPath(name), depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function findInValue(schema: unknown, value: unknown, path: string, depth: number): UnknownArgument | null {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  if (isObject(value)) return findInObject(schema, value, path, closedListOf(schema, false), depth);
  const items = own(schema, "items");
  if (!Array.isArray(value) || !isObject(items)) return null;
  for (const item of value) {
    const found = findInValue(items, item, `${path}[]`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

// INVARIANT: the schemas of offered tools are frozen, so a list holds as long as its schema is there.
const lists = new WeakMap<JsonObject, ClosedList>();

function closedListOf(schema: JsonObject, isTop: boolean): ClosedList {
  const known = lists.get(schema);
  if (known !== undefined) return known;
  const list = readClosedList(schema, isTop);
  lists.set(schema, list);
  return list;
}

function readClosedList(schema: JsonObject, isTop: boolean): ClosedList {
  const names = new Set<string>();
  let hasList = CLOSING.some((key) => own(schema, key) === false);
  const open: unknown[] = [schema];
  for (let count = 0; open.length > 0; count += 1) {
    const part = open.pop();
    // What can't be read, or takes too long, is no list that a call could be held to.
    if (part !== false && (!isObject(part) || count > MAX_PARTS || isOpen(part))) return null;
    if (part === false) continue;
    const properties = own(part, "properties");
    if (isObject(properties)) {
      hasList ||= isTop;
      for (const name of Object.keys(properties)) names.add(name);
    }
    open.push(...partsOf(part, schema));
  }
  return hasList ? names : null;
}

const CLOSING = ["additionalProperties", "unevaluatedProperties"];
const LISTS_OF_PARTS = ["allOf", "anyOf", "oneOf"];
const PARTS = ["if", "then", "else"];

const isOpen = (part: JsonObject): boolean =>
  own(part, "patternProperties") !== undefined ||
  CLOSING.some((key) => own(part, key) !== undefined && own(part, key) !== false);

/** What a schema is made of, each of which may add names. */
function partsOf(schema: JsonObject, root: JsonObject): readonly unknown[] {
  const lists = LISTS_OF_PARTS.map((key) => own(schema, key)).filter((list) => Array.isArray(list));
  const single = PARTS.map((key) => own(schema, key)).filter((part) => part !== undefined);
  const dependent = own(schema, "dependentSchemas");
  const ref = own(schema, "$ref");
  return [
    ...lists.flat(),
    ...single,
    ...(isObject(dependent) ? Object.values(dependent) : []),
    ...(ref === undefined ? [] : [resolveRef(root, ref)]),
  ];
}

/** What a reference within the schema means; undefined for every other. */
function resolveRef(root: JsonObject, ref: unknown): unknown {
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined;
  const steps = ref.slice(2).split("/");
  return steps.reduce<unknown>((at, step) => (isObject(at) ? own(at, step) : undefined), root);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const own = (value: JsonObject, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined);
