import { expect, it } from "vitest";
import { findInvalidArgument } from "./invalid-argument.ts";

const PERSON = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const SCHEMA = {
  type: "object",
  properties: {
    query: { type: "string" },
    limit: { anyOf: [{ type: "integer" }, { type: "null" }] },
    order: { type: ["string", "null"], enum: ["up", "down", null] },
    to: { type: "array", items: { $ref: "#/$defs/person" } },
    pair: { prefixItems: [{ type: "string" }], items: { type: "number" } },
    odd: { type: "date", pattern: "(a+)+$", const: { a: 1 } },
    self: { $ref: "#/properties/self" },
    any: true,
  },
  required: ["query"],
  $defs: { person: { allOf: [PERSON] } },
};

it.each<[object, string | null]>([
  [{}, "`query` is missing."],
  [{ query: 5 }, "`query` must be of type `string`."],
  [{ query: null }, "`query` must be of type `string`."],
  [{ query: "a", limit: "5" }, "`limit` fits none of the alternatives in the schema."],
  [{ query: "a", limit: 1.5 }, "`limit` fits none of the alternatives in the schema."],
  [{ query: "a", order: "left" }, "`order` has a value that the schema doesn't list."],
  [{ query: "a", order: 1 }, "`order` must be of type `string` or `null`."],
  [{ query: "a", to: [{ name: "b" }, {}] }, "`to.name` is missing."],
  [{ query: "a", to: {} }, "`to` must be of type `array`."],
  [{ query: "a", pair: ["b", "c"] }, "`pair` must be of type `number`."],
  [JSON.parse('{ "__proto__": { "query": "a" } }'), "`query` is missing."],
  [{ query: "a" }, null],
  [{ query: "a", limit: null, order: null, to: [{ name: "b", more: 1 }], pair: ["b", 1] }, null],
  [{ query: "a", odd: 5, self: 5, any: 5, unknown: 5 }, null],
])("of arguments that a schema doesn't fit, %j, says the first problem (X20)", (args, problem) => {
  expect(findInvalidArgument(SCHEMA, args as Record<string, unknown>)).toBe(problem);
});

it("gives up on a schema that is too large or has no end (X20)", () => {
  const again = { $ref: "#" };
  expect(findInvalidArgument({ anyOf: [again, again, again], allOf: [again, again] }, {})).toBeNull();
});
