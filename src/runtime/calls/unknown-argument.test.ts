/** Which arguments a schema doesn't name, on schemas by hand and on those of real servers. */
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findUnknownArgument } from "./unknown-argument.ts";

const URL_ONLY = { type: "object", properties: { url: { type: "string" } } };

describe("an argument is refused", () => {
  it.each<[string, object, object, string, string | null]>([
    ["that no list has", URL_ONLY, { url: "x", launchOptions: {} }, "launchOptions", null],
    ["that is written a little otherwise", URL_ONLY, { ulr: "x" }, "ulr", "url"],
    ["where the list is closed by a word", { additionalProperties: false }, { a: 1 }, "a", null],
    ["of a tool that has none", { type: "object", properties: {} }, { a: 1 }, "a", null],
    ["with a name of every object", URL_ONLY, { constructor: 1 }, "constructor", null],
    [
      "in an object that is closed",
      { properties: { options: { properties: { depth: {} }, additionalProperties: false } } },
      { options: { depht: 1 } },
      "options.depht",
      "depth",
    ],
    [
      "in a list of such objects",
      { properties: { files: { items: { properties: { path: {} }, additionalProperties: false } } } },
      { files: [{ path: "a" }, { mode: 7 }] },
      "files[].mode",
      null,
    ],
    [
      "that no form has",
      { properties: { a: {} }, anyOf: [{ required: ["a"] }, { properties: { b: {} } }] },
      { a: 1, c: 1 },
      "c",
      null,
    ],
    [
      "that a definition doesn't have",
      { $ref: "#/$defs/in", $defs: { in: { properties: { a: {} } } } },
      { a: 1, b: 1 },
      "b",
      null,
    ],
    ...(
      [
        ["by a reference", { $ref: "#/$defs/O" }, { b: 1 }, "o.b"],
        ["by one form of several", { anyOf: [{ $ref: "#/$defs/O" }, { type: "null" }] }, { b: 1 }, "o.b"],
        ["by a part of all", { allOf: [{ $ref: "#/$defs/O" }] }, { b: 1 }, "o.b"],
        ["in a list", { items: { $ref: "#/$defs/O" } }, [{ a: 1 }, { b: 1 }], "o[].b"],
        ["at a place of a list", { prefixItems: [true, { $ref: "#/$defs/O" }] }, [1, { b: 1 }], "o[].b"],
        ["under any name", { additionalProperties: { $ref: "#/$defs/O" } }, { x: { b: 1 } }, "o.x.b"],
        ["below a field of it", { $ref: "#/$defs/P" }, { p: { b: 1 } }, "o.p.b"],
      ] as const
    ).map(([what, o, given, argument]): [string, object, object, string, null] => [
      `in an object that is closed elsewhere: ${what}`,
      {
        properties: { o },
        $defs: {
          O: { type: "object", properties: { a: {} }, additionalProperties: false },
          P: { properties: { p: { $ref: "#/$defs/O" } } },
        },
      },
      { o: given },
      argument,
      null,
    ]),
    [
      "however much stands before it",
      URL_ONLY,
      { url: Array.from({ length: 50_000 }, () => ({})), x: 1 },
      "x",
      null,
    ],
  ])("%s", (_, schema, args, argument, near) => {
    expect(findUnknownArgument({ ...schema }, { ...args })).toEqual({ argument, near });
  });

  it("with no more of its name than is needed to know it", () => {
    const found = findUnknownArgument(URL_ONLY, { ["x".repeat(5000)]: 1 });
    expect(found).toMatchObject({ argument: "x".repeat(100) });
  });
});

it("long lists of numbers and records, of which nothing is said, are no matter", () => {
  const vectors = Array.from({ length: 400 }, () => Array.from({ length: 1536 }, (_, at) => at));
  const records = Array.from({ length: 20_000 }, (_, at) => ({ id: at, name: "x", tags: ["a"] }));
  const properties = { vectors: {}, records: { items: { type: "object", properties: { id: {} } } } };
  expect(findUnknownArgument({ properties, additionalProperties: false }, { vectors, records })).toBeNull();
});

it("schema and arguments that are too large together are said to be so", () => {
  const closed = { properties: {}, additionalProperties: false };
  const forms = Array.from({ length: 1500 }, (_, at) => ({ properties: { [`a${at}`]: closed } }));
  const schema = { additionalProperties: { anyOf: forms } };
  const args = Object.fromEntries(
    Array.from({ length: 1500 }, (_, at) => [`o${at}`, Object.fromEntries([[`a${at}`, {}]])]),
  );
  expect(findUnknownArgument(schema, args)).toBe("too-large");
  expect(findUnknownArgument(schema, { o: { a1: {} } })).toBeNull();
});

describe("an argument goes on", () => {
  it.each<[string, object, object]>([
    ["that the list has", URL_ONLY, { url: "x" }],
    ["where there is no list", { type: "object" }, { a: 1 }],
    ["where the list is open by a word", { ...URL_ONLY, additionalProperties: true }, { a: 1 }],
    ["where others have a schema", { ...URL_ONLY, additionalProperties: { type: "string" } }, { a: "1" }],
    ["where names follow a pattern", { ...URL_ONLY, patternProperties: { "^x-": {} } }, { "x-a": 1 }],
    [
      "within an object that isn't said to be closed",
      { properties: { o: { properties: { a: {} } } } },
      { o: { b: 1 } },
    ],
    [
      "within an object that one of its forms leaves open",
      { properties: { o: { anyOf: [{ properties: {}, additionalProperties: false }, { type: "object" }] } } },
      { o: { b: 1 } },
    ],
    ["that one of several forms has", { anyOf: [URL_ONLY, { properties: { path: {} } }] }, { path: "x" }],
    ["where one of them is open", { ...URL_ONLY, anyOf: [true] }, { a: 1 }],
    ["where a reference leads elsewhere", { ...URL_ONLY, $ref: "https://a.example/s" }, { a: 1 }],
    [
      "that another argument brings with it, in an older draft's words",
      { ...URL_ONLY, dependencies: { url: { properties: { depth: {} } }, path: ["url"] } },
      { url: "x", depth: 1 },
    ],
    ["where such a dependency is open", { ...URL_ONLY, dependencies: { url: true } }, { url: "x", a: 1 }],
    ["that a condition adds", { ...URL_ONLY, if: {}, else: { properties: { depth: {} } } }, { depth: 1 }],
  ])("%s", (_, schema, args) => {
    expect(findUnknownArgument({ ...schema }, { ...args })).toBeNull();
  });

  it("wherever a schema refers to itself, and however deep", () => {
    const loop = { properties: { a: {} }, anyOf: [{ $ref: "#" }, { $ref: "#/anyOf/0" }] };
    expect(() => findUnknownArgument(loop, { b: 1 })).not.toThrow();
    let deep: unknown = { x: 1 };
    let schema: object = { additionalProperties: false };
    for (let level = 0; level < 5000; level += 1) {
      deep = { a: deep };
      schema = { properties: { a: schema } };
    }
    expect(() => findUnknownArgument({ ...schema }, { a: deep })).not.toThrow();
  });

  it("though its schema names the same part twice at each of many levels, which is read once", () => {
    const parts = Array.from({ length: 60 }, (_, at) => {
      const next = { $ref: `#/$defs/A${at + 1}` };
      return [`A${at}`, { allOf: [next, next], anyOf: [next, next] }] as const;
    });
    const $defs = { ...Object.fromEntries(parts), A60: { type: "object" } };
    const schema = { type: "object", properties: { x: { $ref: "#/$defs/A0" } }, $defs };
    expect(findUnknownArgument(schema, { x: { y: 1 } })).toBeNull();
  });

  it("in a long list of objects, whose schema is read once for all of them", () => {
    const items = { anyOf: Array.from({ length: 500 }, (_, at) => ({ properties: { [`a${at}`]: {} } })) };
    const list = Array.from({ length: 5000 }, () => ({ a1: { b: 1 } }));
    expect(findUnknownArgument({ properties: { list: { items } } }, { list })).toBeNull();
  });

  it("for any schema and arguments without an error", () => {
    fc.assert(
      fc.property(fc.object(), fc.object(), (schema, args) => {
        findUnknownArgument({ ...schema }, { ...args });
      }),
      { numRuns: 500 },
    );
  });
});

const FIXTURES = new URL("../../../test/fixtures/mcp-tools/", import.meta.url);

interface Recorded {
  readonly tools: readonly { readonly name: string; readonly inputSchema: Record<string, unknown> }[];
}

/** A value of a schema's shape, with everything that it lists. */
function sampleOf(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return "x";
  if ("anyOf" in schema && Array.isArray(schema.anyOf)) return sampleOf(schema.anyOf[0]);
  if ("items" in schema) return [sampleOf(schema.items)];
  if (!("properties" in schema)) return { type: "x" };
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, sampleOf(inner)]),
  );
}

it("lets every argument that real servers list through, and one more at none of them", () => {
  for (const file of readdirSync(FIXTURES).filter((name) => name.endsWith(".json"))) {
    const { tools }: Recorded = JSON.parse(readFileSync(new URL(file, FIXTURES), "utf8"));
    for (const { name, inputSchema } of tools) {
      const args = Object(sampleOf(inputSchema));
      expect([file, name, findUnknownArgument(inputSchema, args)]).toEqual([file, name, null]);
      const more = findUnknownArgument(inputSchema, { ...args, launchOptions: {} });
      expect([file, name, more]).toEqual([file, name, { argument: "launchOptions", near: null }]);
    }
  }
});
