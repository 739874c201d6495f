/**
 * Finds an argument that a tool's input schema doesn't name. A server may act on arguments that it lists nowhere, and
 * then a call does more than it was decided on.
 *
 * The arguments themselves are a closed list where the schema has `properties` and doesn't say otherwise; an object
 * within them where its schema, wherever that stands, says that it is one.
 */
import { nearMiss } from "../core/index.ts";
import type { JsonObject } from "../session/index.ts";

export interface UnknownArgument {
  /** Its name behind the names that lead to it: `options.name`, `list[].name`. */
  readonly argument: string;
  /** The name that was probably meant. */
  readonly near: string | null;
}

const MAX_DEPTH = 64;
/** Parts of a schema that are read for one value. THREAT: servers write schemas that refer to themselves. */
const MAX_PARTS = 2000;
const MAX_SHOWN = 100;

/** The first argument that the schema doesn't name; null where it names all, or leaves open what there is. */
export const findUnknownArgument = (inputSchema: JsonObject, args: JsonObject): UnknownArgument | null =>
  new Search(inputSchema).inObject([inputSchema], args, "", 0);

/** What is known of a value whose schema is any of several. */
interface Shape {
  /** The schemas with all that they refer to and are made of. */
  readonly parts: readonly JsonObject[];
  /** The names that an object may have; null where they are left open. */
  readonly names: ReadonlySet<string> | null;
  /** The schemas of its fields, by name. */
  readonly fields: Map<string, Schemas>;
}

type Schemas = readonly unknown[];

/** Looks through the arguments of one call. References are resolved in the tool's whole schema. */
class Search {
  readonly #root: JsonObject;
  readonly #shapes = new Map<Schemas, Shape>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Looks at the names of an object before it goes into any of them. */
  inObject(schemas: Schemas, value: JsonObject, path: string, depth: number): UnknownArgument | null {
    const { names, parts, fields } = this.#shapeOf(schemas, depth === 0);
    const toPath = (name: string): string => (path === "" ? name : `${path}.${name}`);
    const unknown = names && Object.keys(value).find((name) => !names.has(name));
    if (names && typeof unknown === "string")
      return { argument: toPath(unknown).slice(0, MAX_SHOWN), near: nearMiss(unknown, names) ?? null };
    for (const [name, inner] of Object.entries(value)) {
      const known = fields.get(name) ?? fieldSchemas(parts, name);
      fields.set(name, known);
      const found = this.#inValue(known, inner, toPath(name), depth + 1);
      if (found !== null) return found;
    }
    return null;
  }

  #inValue(schemas: Schemas, value: unknown, path: string, depth: number): UnknownArgument | null {
    if (schemas.length === 0 || depth > MAX_DEPTH) return null;
    if (isObject(value)) return this.inObject(schemas, value, path, depth);
    if (!Array.isArray(value)) return null;
    const { parts } = this.#shapeOf(schemas, false);
    const prefixes = parts.map((part) => own(part, "prefixItems")).filter((list) => Array.isArray(list));
    const rest = parts.map((part) => own(part, "items")).filter(isObject);
    if (prefixes.length + rest.length === 0) return null;
    const below = `${path}[]`;
    for (const [index, item] of value.entries()) {
      const given = prefixes.filter((list) => index < list.length).map((list) => list[index]);
      const found = this.#inValue(given.length > 0 ? given : rest, item, below, depth + 1);
      if (found !== null) return found;
    }
    return null;
  }

  #shapeOf(schemas: Schemas, isTop: boolean): Shape {
    const known = this.#shapes.get(schemas);
    if (known !== undefined) return known;
    const parts: JsonObject[] = [];
    // What can't be read, or takes too long, is no list that a call could be held to.
    let isReadable = true;
    const seen = new Set<unknown>();
    for (const open = [...schemas]; open.length > 0 && isReadable; ) {
      const part = open.pop();
      if (part === false || seen.has(part)) continue;
      seen.add(part);
      isReadable = isObject(part) && parts.length < MAX_PARTS;
      if (!isObject(part)) continue;
      parts.push(part);
      open.push(...partsOf(part, this.#root));
    }
    const hasList = schemas.every((schema) => !mayBeObject(schema) || this.#isClosed(schema, isTop, 0));
    const isOpenList = !isReadable || parts.some(isOpen) || !hasList || !schemas.some(mayBeObject);
    const names = isOpenList ? null : new Set(parts.flatMap((part) => Object.keys(propertiesOf(part))));
    const shape = { parts, names, fields: new Map<string, Schemas>() };
    this.#shapes.set(schemas, shape);
    return shape;
  }

  /** Whether a schema says that an object has no other names than those that are listed. */
  #isClosed(schema: unknown, isTop: boolean, depth: number): boolean {
    if (!isObject(schema) || depth > MAX_DEPTH) return false;
    if (CLOSING.some((key) => own(schema, key) === false)) return true;
    if (isTop && this.#hasProperties(schema)) return true;
    const isClosed = (part: unknown): boolean => this.#isClosed(part, isTop, depth + 1);
    if (own(schema, "$ref") !== undefined && isClosed(resolveRef(this.#root, own(schema, "$ref"))))
      return true;
    const all = own(schema, "allOf");
    if (Array.isArray(all) && all.some(isClosed)) return true;
    return ["anyOf", "oneOf"].some((key) => {
      const forms = own(schema, key);
      const ofObjects = Array.isArray(forms) ? forms.filter(mayBeObject) : [];
      return ofObjects.length > 0 && ofObjects.every(isClosed);
    });
  }

  /** At the top a list anywhere in the schema closes it. */
  #hasProperties(schema: JsonObject): boolean {
    const open: unknown[] = [schema];
    for (let count = 0; open.length > 0 && count < MAX_PARTS; count += 1) {
      const part = open.pop();
      if (!isObject(part)) continue;
      if (isObject(own(part, "properties"))) return true;
      open.push(...partsOf(part, this.#root));
    }
    return false;
  }
}

const propertiesOf = (part: JsonObject): JsonObject => {
  const properties = own(part, "properties");
  return isObject(properties) ? properties : {};
};

/** The schemas of a field: those of its name, or else what is said of all other names. */
function fieldSchemas(parts: readonly JsonObject[], name: string): Schemas {
  const named = parts.map((part) => own(propertiesOf(part), name)).filter((schema) => schema !== undefined);
  return named.length > 0 ? named : parts.map((part) => own(part, "additionalProperties")).filter(isObject);
}

function mayBeObject(schema: unknown): boolean {
  if (!isObject(schema)) return schema !== false;
  const type = own(schema, "type");
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
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
  // Draft 7 has one word for the schemas and the names that an argument brings with it.
  const dependent = ["dependentSchemas", "dependencies"].map((key) => own(schema, key)).filter(isObject);
  const ref = own(schema, "$ref");
  return [
    ...lists.flat(),
    ...single,
    ...dependent.flatMap(Object.values).filter((part) => !Array.isArray(part)),
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
