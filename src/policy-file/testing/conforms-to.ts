/**
 * For the tests of this folder: whether a value conforms to a JSON Schema, for the keywords that ours uses. It
 * throws for a keyword that it doesn't know, so that none is passed over.
 */
type Json = unknown;
type Check = (value: Json, expected: Json, schema: object, root: object) => boolean;

const isMap = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const entriesOf = (value: Json): [string, Json][] => (isMap(value) ? Object.entries(value) : []);
const itemsOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
const sizeOf = (value: Json): number =>
  typeof value === "string" || Array.isArray(value) ? value.length : Infinity;

const typeOf = (value: Json): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

const anything: Check = () => true;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["$schema", anything],
  ["$defs", anything],
  ["id", anything],
  ["title", anything],
  ["description", anything],
  ["type", (value, expected) => typeOf(value) === expected],
  ["const", (value, expected) => value === expected],
  ["enum", (value, expected) => itemsOf(expected).includes(value)],
  ["minLength", (value, expected) => sizeOf(value) >= Number(expected)],
  ["minItems", (value, expected) => sizeOf(value) >= Number(expected)],
  [
    "required",
    (value, expected) => !isMap(value) || itemsOf(expected).every((key) => Object.hasOwn(value, String(key))),
  ],
  ["items", (value, expected, _, root) => itemsOf(value).every((item) => conformsTo(item, expected, root))],
  [
    "propertyNames",
    (value, expected, _, root) => entriesOf(value).every(([key]) => conformsTo(key, expected, root)),
  ],
  [
    "anyOf",
    (value, expected, _, root) => itemsOf(expected).some((option) => conformsTo(value, option, root)),
  ],
  [
    "oneOf",
    (value, expected, _, root) =>
      itemsOf(expected).filter((option) => conformsTo(value, option, root)).length === 1,
  ],
  ["$ref", (value, expected, _, root) => conformsTo(value, definitionOf(expected, root), root)],
  [
    "properties",
    (value, expected, _, root) =>
      entriesOf(expected).every(
        ([key, schema]) =>
          !isMap(value) || !Object.hasOwn(value, key) || conformsTo(value[key], schema, root),
      ),
  ],
  [
    "additionalProperties",
    (value, expected, schema, root) => {
      const known = new Set(entriesOf(Reflect.get(schema, "properties")).map(([key]) => key));
      return entriesOf(value).every(([key, inner]) => known.has(key) || conformsTo(inner, expected, root));
    },
  ],
]);

function definitionOf(reference: Json, root: object): Json {
  const definitions: Json = Reflect.get(root, "$defs");
  return isMap(definitions) ? definitions[String(reference).replace("#/$defs/", "")] : undefined;
}

/** Whether a value conforms to a schema; `root` holds the definitions that it refers to. */
export function conformsTo(value: Json, schema: Json, root: object): boolean {
  if (typeof schema === "boolean") return schema;
  if (!isMap(schema)) throw new Error("This is no schema.");
  return Object.entries(schema).every(([keyword, expected]) => {
    const check = CHECKS.get(keyword);
    if (check === undefined) throw new Error(`Unknown keyword ${keyword}.`);
    return check(value, expected, schema, root);
  });
}
