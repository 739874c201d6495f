import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { policyJsonSchema } from "./schema.ts";
import { conformsTo } from "./testing/conforms-to.ts";
import { parseFiles } from "./testing/parse-files.ts";
import { parseNow } from "./testing/parse-now.ts";
import { TICKETS_JSON } from "./testing/tickets-document.ts";
import { VALID_POLICIES, WITH_FILES } from "./testing/valid-policies.ts";

const schema = policyJsonSchema();
const accepts = (text: string): boolean => conformsTo(parse(text), schema, schema);

/** Every key that a map may have, by the path that leads to it. */
function keysIn(value: unknown, path: string): readonly (readonly [path: string, description: unknown])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    // The options of a tool and of a server say which keys must be there, and declare none.
    if (
      Array.isArray(value) &&
      Object(inner) === inner &&
      Reflect.has(inner, "required") &&
      !Reflect.has(inner, "type")
    )
      return [];
    const own =
      key === "properties"
        ? Object.entries(inner).map(
            ([name, property]) => [`${path}.${name}`, Object(property).description] as const,
          )
        : [];
    return [...own, ...keysIn(inner, `${path}.${key}`)];
  });
}

describe("the JSON Schema of the policy file", () => {
  test("is a draft 2020-12 schema that names what it is for", () => {
    expect(policyJsonSchema()).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Sluicegate policy",
      type: "object",
      required: ["version"],
      additionalProperties: false,
    });
  });

  test.each(VALID_POLICIES)("accepts $title, as the parser does", ({ text }) => {
    expect(() =>
      parseNow(text, {
        file: "p.yaml",
        environment: { SLACK_SECRET: "a-secret-of-the-tests", WEB_TOKEN: "x", PORT: "1" },
      }),
    ).not.toThrow();
    expect(accepts(text)).toBe(true);
  });

  test("accepts what names other files, as the parser does", async () => {
    const files = { "t.json": TICKETS_JSON, "dbs.yaml": "databases: { a: { type: sqlite, path: a.db } }" };
    expect((await parseFiles({ "p.yaml": WITH_FILES, ...files })).apis.size).toBe(2);
    expect(accepts(WITH_FILES)).toBe(true);
  });

  test.each([
    ["an unknown key at the top", "version: 1\nzebra: 1\n"],
    ["a key that comes later at the top", "version: 1\nlimits: {}\n"],
    ["an unknown key of a tool", "version: 1\ntools: { a: { permissions: [], sorce: x } }\n"],
    ["a key of a tool that comes later", "version: 1\ntools: { a: { permissions: [], once: true } }\n"],
    ["a tool without permissions", "version: 1\ntools: { a: { source: internal } }\n"],
    ["a tool whose flag is off", "version: 1\ntools: { a: { is_external: false } }\n"],
    ["a sink without a level", "version: 1\ntools: { a: { permissions: [], sink: { trust: trusted } } }\n"],
    ["an empty list of clearances", "version: 1\ntools: { a: { permissions: [], sink: [] } }\n"],
    ["an unknown permission", "version: 1\ntools: { a: { permissions: [reed] } }\n"],
    ["an approval that is true", "version: 1\ntools: { a: { permissions: [], approval: true } }\n"],
    [
      "a role's condition",
      "version: 1\ntools: { a: { permissions: [] } }\nroles: { r: { approval: { a: args.x } } }\n",
    ],
    ["an unknown way to answer", "version: 1\napprovals: { via: [mail] }\n"],
    ["a workspace without a root", "version: 1\nworkspace: { source: internal }\n"],
    [
      "permissions of a workspace's tool",
      "version: 1\nworkspace: { root: ., tools: { Read: { permissions: [] } } }\n",
    ],
    ["an unknown key of a server", "version: 1\nservers: { a: { command: x, timeout: 1 } }\n"],
    ["a server that can't be reached", "version: 1\nservers: { a: {} }\n"],
    ["a server that is reached in two ways", "version: 1\nservers: { a: { command: x, url: y } }\n"],
    ["an unknown key of a role", "version: 1\nroles: { a: { endorsement: strict } }\n"],
    ["an unknown key of the limits", "version: 1\npolicy: { tools: [] }\n"],
    ["an unknown kind of database", "version: 1\ndatabases: { a: { type: mysql } }\n"],
    ["a database without a kind", "version: 1\ndatabases: { a: { path: a.db } }\n"],
    ["an unknown key of a database", "version: 1\ndatabases: { a: { type: sqlite, file: a.db } }\n"],
    [
      "permissions of a database's tool",
      "version: 1\ndatabases: { a: { type: postgres, tools: { query: { permissions: [] } } } }\n",
    ],
    ["an API without a document", 'version: 1\napis: { a: { base_url: "http://x" } }\n'],
    [
      "an API with two documents",
      'version: 1\napis: { a: { spec: a, spec_source: b, base_url: "http://x" } }\n',
    ],
    ["an API without an address", "version: 1\napis: { a: { spec: a } }\n"],
    [
      "the source of an operation",
      'version: 1\napis: { a: { spec: a, base_url: "http://x", operations: { b: { source: public } } } }\n',
    ],
    ["an unknown key of the detectors", "version: 1\ndetectors: { secret: secret }\n"],
    ["an include that is no list", "version: 1\ninclude: dbs.yaml\n"],
    ["no version", "tools: {}\n"],
    ["another version", "version: 2\n"],
  ])("refuses %s, as the parser does", (_, text) => {
    expect(() => parseNow(text, { file: "p.yaml", environment: {} })).toThrow();
    expect(accepts(text)).toBe(false);
  });

  test("describes every key", () => {
    const keys = keysIn(schema, "$");
    expect(keys.length).toBeGreaterThan(35);
    expect(keys.filter(([, description]) => typeof description !== "string")).toEqual([]);
  });
});
