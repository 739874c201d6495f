/**
 * Finds an argument that a tool's input schema doesn't name. A server may act on unlisted arguments, and then the
 * call does more than was decided on.
 * The arguments themselves are a closed list if the schema has `properties`, unless it says otherwise. An object
 * within them is a closed list if its schema says so, wherever that is.
 */
import { Meter, nearMiss, withinMeter } from "../../core/index.ts";
import { isJsonObject, type JsonObject } from "../../json/json-object.ts";

export interface UnknownArgument {
  /** Its path: `options.name`, `list[].name`. */
  readonly argument: string;
  /** The name that was probably meant. */
  readonly near: string | null;
}

const MAX_DEPTH = 64;
/** Parts of a schema read for one value. THREAT: a server may write a schema that refers to itself. */
const MAX_PARTS = 2000;
const MAX_SHOWN = 100;
/** Parts of schemas and values examined for one call: about 10 ms. */
const MAX_STEPS = 100_000;
/** Shapes cached per schema. */
const MAX_SHAPES = 1000;

/** By input schema. Each belongs to one definition of one tool. */
const known = new WeakMap<JsonObject, ArgumentSchema>();

/**
 * The first argument that the schema doesn't name; null if there is none; `too-large` if schema and arguments
 * together exceed the limit.
 */
export function findUnknownArgument(
  inputSchema: JsonObject,
  args: JsonObject,
): UnknownArgument | "too-large" | null {
  const schema = known.get(inputSchema) ?? new ArgumentSchema(inputSchema);
  known.set(inputSchema, schema);
  const meter = new Meter(MAX_STEPS);
  // If the schema closes nothing deeper, only the names of the arguments themselves are examined.
  const depth = schema.closesBelow ? 0 : MAX_DEPTH;
  return withinMeter(() => findIn(schema.top(meter), args, { path: "", depth, meter }), "too-large");
}

interface Position {
  readonly path: string;
  readonly depth: number;
  readonly meter: Meter;
}

function findIn(shape: Shape | null, value: unknown, at: Position): UnknownArgument | null {
  if (shape === null || at.depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return findInList(shape, value, at);
  return isJsonObject(value) ? findInObject(shape, value, at) : null;
}

/** Checks the names of an object before the values. */
function findInObject(
  shape: Shape,
  value: JsonObject,
  { path, depth, meter }: Position,
): UnknownArgument | null {
  const { names } = shape;
  const toPath = (name: string): string => (path === "" ? name : `${path}.${name}`);
  meter.charge(Object.keys(value).length);
  const unknown = names && Object.keys(value).find((name) => !names.has(name));
  if (names && typeof unknown === "string")
    return { argument: toPath(unknown).slice(0, MAX_SHOWN), near: nearMiss(unknown, names) ?? null };
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== "object") continue;
    const found = findIn(shape.field(name, meter), inner, { path: toPath(name), depth: depth + 1, meter });
    if (found !== null) return found;
  }
  return null;
}

function findInList(
  shape: Shape,
  value: readonly unknown[],
  { path, depth, meter }: Position,
): UnknownArgument | null {
  if (!shape.hasItems) return null;
  meter.charge(value.length / 8);
  for (const [index, item] of value.entries()) {
    if (typeof item !== "object") continue;
    meter.charge(1);
    const found = findIn(shape.item(index, meter), item, { path: `${path}[]`, depth: depth + 1, meter });
    if (found !== null) return found;
  }
  return null;
}

type Schemas = readonly unknown[];

/** An input schema, with cached shapes. References are resolved within it. */
class ArgumentSchema {
  readonly #root: JsonObject;
  readonly #shapes = new Map<string, Shape>();
  readonly #numbers = new Map<unknown, number>();
  readonly #closed = new Map<JsonObject, boolean>();
  #top: Shape | null = null;
  /** Whether the schema closes an object within the arguments. */
  readonly closesBelow: boolean;

  constructor(root: JsonObject) {
    this.#root = root;
    this.closesBelow = closesBelow(root);
  }

  /** The shape of the arguments themselves: any list of names in the schema closes them. */
  top(meter: Meter): Shape {
    this.#top ??= this.#read([this.#root], meter, true);
    return this.#top;
  }

  /** The shape of a value to which any of these schemas applies; null if nothing is known. */
  shapeOf(schemas: Schemas, meter: Meter): Shape | null {
    if (schemas.length === 0) return null;
    meter.charge(schemas.length);
    const numbers = new Set(schemas.map((schema) => this.#numberOf(schema)));
    const key = [...numbers].sort((left, right) => left - right).join();
    const shape = this.#shapes.get(key) ?? this.#read(schemas, meter, false);
    if (this.#shapes.size >= MAX_SHAPES) {
      this.#shapes.clear();
      // THREAT: a shape contains those below it, and a schema can have one for each combination of its parts.
      this.#top = null;
    }
    this.#shapes.set(key, shape);
    return shape;
  }

  #numberOf(schema: unknown): number {
    const number = this.#numbers.get(schema) ?? this.#numbers.size;
    this.#numbers.set(schema, number);
    return number;
  }

  #read(schemas: Schemas, meter: Meter, isTop: boolean): Shape {
    const parts: JsonObject[] = [];
    // If it can't be read, or takes too long, the list doesn't count.
    let isReadable = true;
    const seen = new Set<unknown>();
    for (const open = [...schemas]; open.length > 0 && isReadable; ) {
      const part = open.pop();
      if (part === false || seen.has(part)) continue;
      seen.add(part);
      isReadable = isJsonObject(part) && parts.length < MAX_PARTS;
      if (!isJsonObject(part)) continue;
      parts.push(part);
      open.push(...partsOf(part, this.#root, meter));
    }
    const isClosed = (schema: unknown): boolean => !mayBeObject(schema) || this.#isClosed(schema, meter, 0);
    const hasProperties = isTop && parts.some((part) => isJsonObject(own(part, "properties")));
    const isList =
      isReadable &&
      !parts.some(isOpen) &&
      schemas.some(mayBeObject) &&
      (hasProperties || schemas.every(isClosed));
    const names = isList ? new Set(parts.flatMap((part) => Object.keys(propertiesOf(part)))) : null;
    meter.charge(names?.size ?? 0);
    return new Shape(this, parts, names);
  }

  /** Whether a schema closes an object to the listed names. */
  #isClosed(schema: unknown, meter: Meter, depth: number): boolean {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return false;
    const found = this.#closed.get(schema);
    if (found !== undefined) return found;
    // A schema that refers to itself adds nothing.
    this.#closed.set(schema, false);
    try {
      const isClosed = this.#closes(schema, meter, depth);
      this.#closed.set(schema, isClosed);
      return isClosed;
    } catch (error) {
      this.#closed.delete(schema);
      throw error;
    }
  }

  #closes(schema: JsonObject, meter: Meter, depth: number): boolean {
    const closes = (part: unknown): boolean => this.#isClosed(part, meter, depth + 1);
    const ref = own(schema, "$ref");
    return (
      CLOSING.some((key) => own(schema, key) === false) ||
      (ref !== undefined && closes(resolveRef(this.#root, ref, meter))) ||
      listIn(schema, "allOf", meter).some(closes) ||
      ["anyOf", "oneOf"].some((key) => {
        const ofObjects = listIn(schema, key, meter).filter(mayBeObject);
        return ofObjects.length > 0 && ofObjects.every(closes);
      })
    );
  }
}

/** The shape of a value: the names that it may have, and the shapes of its members. */
class Shape {
  /** The allowed names of an object; null if any is allowed. */
  readonly names: ReadonlySet<string> | null;
  readonly hasItems: boolean;
  readonly #schema: ArgumentSchema;
  /** The schemas, with all that they refer to and consist of. */
  readonly #parts: readonly JsonObject[];
  readonly #prefixes: readonly (readonly unknown[])[];
  readonly #items: Schemas;
  /** By listed names and positions; null for all others. */
  readonly #inner = new Map<string | number | null, Shape | null>();

  constructor(schema: ArgumentSchema, parts: readonly JsonObject[], names: ReadonlySet<string> | null) {
    this.#schema = schema;
    this.#parts = parts;
    this.names = names;
    this.#prefixes = parts.map((part) => own(part, "prefixItems")).filter((list) => Array.isArray(list));
    this.#items = parts.map((part) => own(part, "items")).filter(isJsonObject);
    this.hasItems = this.#prefixes.length + this.#items.length > 0;
  }

  /** The shape of a field: by its name, otherwise the one for other names. */
  field(name: string, meter: Meter): Shape | null {
    const isKnown = this.#inner.has(name);
    if (!isKnown) meter.charge(this.#parts.length);
    const isListed = isKnown || this.#parts.some((part) => own(propertiesOf(part), name) !== undefined);
    return this.#shapeAt(isListed ? name : null, meter, () =>
      isListed
        ? this.#parts.map((part) => own(propertiesOf(part), name)).filter((schema) => schema !== undefined)
        : this.#parts.map((part) => own(part, "additionalProperties")).filter(isJsonObject),
    );
  }

  /** The shape of an item: by its position, otherwise the one for other items. */
  item(index: number, meter: Meter): Shape | null {
    const isListed = this.#prefixes.some((list) => index < list.length);
    meter.charge(this.#prefixes.length / 8);
    return this.#shapeAt(isListed ? index : -1, meter, () =>
      isListed
        ? this.#prefixes.filter((list) => index < list.length).map((list) => list[index])
        : this.#items,
    );
  }

  #shapeAt(key: string | number | null, meter: Meter, schemasOf: () => Schemas): Shape | null {
    const found = this.#inner.get(key);
    if (found !== undefined) return found;
    meter.charge(this.#parts.length);
    const shape = this.#schema.shapeOf(schemasOf(), meter);
    this.#inner.set(key, shape);
    return shape;
  }
}

function closesBelow(root: JsonObject): boolean {
  const open: unknown[] = Object.values(root);
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== "object" || part === null) continue;
    if (isJsonObject(part) && CLOSING.some((key) => own(part, key) === false)) return true;
    open.push(...Object.values(part).filter((inner) => typeof inner === "object"));
  }
  return false;
}

const propertiesOf = (part: JsonObject): JsonObject => {
  const properties = own(part, "properties");
  return isJsonObject(properties) ? properties : {};
};

function mayBeObject(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema !== false;
  const type = own(schema, "type");
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

const CLOSING = ["additionalProperties", "unevaluatedProperties"];

const isOpen = (part: JsonObject): boolean =>
  own(part, "patternProperties") !== undefined ||
  CLOSING.some((key) => own(part, key) !== undefined && own(part, key) !== false);

export function listIn(schema: JsonObject, key: string, meter: Meter): Schemas {
  const list = own(schema, key);
  if (!Array.isArray(list)) return [];
  meter.charge(list.length);
  return list;
}

/** The parts of a schema, each of which may add names. */
function partsOf(schema: JsonObject, root: JsonObject, meter: Meter): Schemas {
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((key) => listIn(schema, key, meter));
  const single = ["if", "then", "else"].map((key) => own(schema, key)).filter((part) => part !== undefined);
  // In draft 7, `dependencies` may contain lists of names instead of schemas.
  const dependent = ["dependentSchemas", "dependencies"].flatMap((key) => {
    const schemas = own(schema, key);
    return isJsonObject(schemas) ? Object.values(schemas).filter((one) => !Array.isArray(one)) : [];
  });
  const ref = own(schema, "$ref");
  meter.charge(1 + single.length + dependent.length);
  return [...lists, ...single, ...dependent, ...(ref === undefined ? [] : [resolveRef(root, ref, meter)])];
}

/** The target of a reference within the schema; undefined for any other reference. */
export function resolveRef(root: JsonObject, ref: unknown, meter: Meter): unknown {
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined;
  meter.charge(1 + ref.length / 8);
  const steps = ref.slice(2).split("/");
  return steps.reduce<unknown>((at, step) => (isJsonObject(at) ? own(at, step) : undefined), root);
}

export const own = (value: JsonObject, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;
