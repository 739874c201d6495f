/** What becomes of documents: real ones, and what is said in many ways. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../runtime/index.ts";
import { toDefinition } from "../../runtime/index.ts";
import {
  call,
  closeAll,
  documentOf,
  INTERNAL,
  openApi,
  operationOf,
  operationsOf,
  startWitness,
  textOf,
} from "./openapi.test-kit.ts";

afterEach(closeAll);

const MODULES = join(import.meta.dirname, "../../../node_modules");
const NOWHERE = { baseUrl: "http://127.0.0.1:1" };

const readDocument = (file: string): JsonObject => parse(readFileSync(join(MODULES, file), "utf8"));

const examples = ["3.0", "3.1"].flatMap((version) => {
  const folder = `@readme/oas-examples/${version}/json`;
  return readdirSync(join(MODULES, folder))
    .filter((file) => file.endsWith(".json"))
    .map((file) => `${folder}/${file}`);
});

type Schema = Record<string, unknown>;

/** Every schema below a value, with its place. */
function* schemasOf(value: unknown, place = "#"): Generator<[string, Schema]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Schema];
  for (const [name, child] of Object.entries(value)) yield* schemasOf(child, `${place}/${name}`);
}

/** What a client of MCP would stumble over. */
function faultsOf(schema: JsonObject): string[] {
  const definitions = Object.keys((schema.$defs ?? {}) as object);
  const found = [...schemasOf(schema)].flatMap(([place, one]) => {
    const ref = typeof one.$ref === "string" && !place.endsWith("/properties") ? [one.$ref] : [];
    return [
      ...ref.filter((to) => !definitions.includes(to.replace("#/$defs/", ""))).map((to) => `${place}: ${to}`),
      ...(typeof one.exclusiveMinimum === "boolean" ? [`${place}: a boolean limit`] : []),
    ];
  });
  const names = Object.keys(schema.properties as object).filter(
    (name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name),
  );
  return [...found, ...names];
}

describe("a real document", () => {
  it("of Figma becomes tools, all of them", async () => {
    const document = readDocument("@figma/rest-api-spec/openapi/openapi.yaml");
    const provider = await openApi(document, NOWHERE);
    expect([provider.status, provider.problem, [...provider.leftOut]]).toEqual(["ready", null, []]);
    expect(provider.tools.size).toBe(operationsOf(document).length);
    for (const tool of provider.tools.values()) {
      expect([tool.name, faultsOf(tool.inputSchema)]).toEqual([tool.name, []]);
      expect(toDefinition(tool)?.text.length).toBeLessThan(64 * 1024);
    }
    expect(provider.tools.get("getFileNodes")).toMatchObject({
      inputSchema: {
        required: ["file_key", "ids"],
        additionalProperties: false,
        properties: { file_key: { type: "string" }, depth: { type: "number" } },
      },
      annotations: { readOnlyHint: true, openWorldHint: true },
    });
  });

  it("of Figma has its calls arrive as it says", async () => {
    const witness = await startWitness();
    const document = readDocument("@figma/rest-api-spec/openapi/openapi.yaml");
    const provider = await openApi(document, {
      baseUrl: witness.url,
      headers: { "X-Figma-Token": "figd_0123456789" },
    });
    const calls: [string, JsonObject][] = [
      ["getFileNodes", { file_key: "ab/c", ids: "1:2,1:3", depth: 2 }],
      ["postComment", { file_key: "abc", body: { message: "Zoë", client_meta: { x: 1, y: 2.5 } } }],
      ["deleteCommentReaction", { file_key: "abc", comment_id: "7", emoji: ":eyes:" }],
      ["getPayments", { plugin_payment_token: "t&x=1" }],
      [
        "postWebhook",
        {
          body: {
            event_type: "FILE_COMMENT",
            context: "team",
            context_id: "123",
            endpoint: "https://example.com/hook",
            passcode: "secret",
          },
        },
      ],
    ];
    for (const [tool, args] of calls) {
      const result = await call(provider, tool, args);
      expect([tool, result.isError, textOf(result)]).toEqual([tool, undefined, '{"ok":true}']);
    }
    expect(witness.arrived.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["GET", "/v1/files/ab%2Fc/nodes?ids=1%3A2%2C1%3A3&depth=2", ""],
      ["POST", "/v1/files/abc/comments", JSON.stringify(calls[1]?.[1].body)],
      ["DELETE", "/v1/files/abc/comments/7/reactions?emoji=%3Aeyes%3A", ""],
      ["GET", "/v1/payments?plugin_payment_token=t%26x%3D1", ""],
      ["POST", "/v2/webhooks", JSON.stringify(calls[4]?.[1].body)],
    ]);
    expect(new Set(witness.arrived.map(({ headers }) => headers["x-figma-token"]))).toEqual(
      new Set(["figd_0123456789"]),
    );
    const wrong = await call(provider, "postWebhook", { body: { event_type: "NEVER" } });
    expect([wrong.isError, textOf(wrong).includes("`body.event_type` must be one of")]).toEqual([true, true]);
  });

  it.each(examples)("is made into tools that clients take: %s", async (file) => {
    const document = readDocument(file);
    if (typeof document.paths !== "object") return;
    const provider = await openApi(document, NOWHERE);
    const operations = operationsOf(document);
    expect([provider.problem, provider.tools.size + provider.leftOut.size]).toEqual([
      null,
      operations.length,
    ]);
    for (const tool of provider.tools.values()) {
      expect([tool.name, faultsOf(tool.inputSchema)]).toEqual([tool.name, []]);
    }
    expect(
      [...provider.leftOut.values()].filter(
        (reason) => !/format that isn't|a query, a fragment/.test(reason),
      ),
    ).toEqual([]);
  });
});

describe("a schema", () => {
  const mapped = async (schema: JsonObject, more: JsonObject = {}) => {
    const document = documentOf(
      { "/x": { get: operationOf([{ name: "p", in: "query", schema }], { operationId: "op" }) } },
      more,
    );
    const { inputSchema } = (await openApi(document, NOWHERE)).tools.get("op") ?? {};
    return (inputSchema?.properties as Schema | undefined)?.p;
  };
  const NEW = { openapi: "3.1.0" };

  it.each<[JsonObject, JsonObject]>([
    [{ type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      { type: "string", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [{ nullable: true, minLength: 1 }, { anyOf: [{ minLength: 1 }, { type: "null" }] }],
    [
      { type: "integer", minimum: 1, exclusiveMinimum: true },
      { type: "integer", exclusiveMinimum: 1 },
    ],
    [
      { type: "integer", maximum: 9, exclusiveMaximum: false },
      { type: "integer", maximum: 9 },
    ],
    [
      { type: "string", example: "x", "x-own": 1, xml: { name: "y" } },
      { type: "string", examples: ["x"] },
    ],
    [{ type: "string", pattern: "^[a-z" }, { type: "string" }],
    [
      { type: "string", pattern: "^[a-z]+$" },
      { type: "string", pattern: "^[a-z]+$" },
    ],
    [
      {
        type: "object",
        required: ["a", "b"],
        properties: { a: { type: "string", readOnly: true }, b: { type: "string" } },
      },
      { type: "object", required: ["b"], properties: { b: { type: "string" } } },
    ],
    [
      { type: "string", description: "A\u202eB\u200b\u0007 c" },
      { type: "string", description: "AB c" },
    ],
  ])("of version 3.0 is JSON Schema: %j → %j", async (schema, expected) => {
    expect(await mapped(schema)).toEqual(expected);
  });

  it.each<[JsonObject, JsonObject]>([
    [
      { type: ["string", "null"], exclusiveMinimum: 3 },
      { type: ["string", "null"], exclusiveMinimum: 3 },
    ],
    [{ $schema: "x", $id: "y", $anchor: "z", const: 1 }, { const: 1 }],
    [
      { prefixItems: [{ type: "string" }, true, false] },
      { prefixItems: [{ type: "string" }, {}, { not: {} }] },
    ],
    [
      { if: { type: "string" }, else: { minimum: 1 } },
      { if: { type: "string" }, else: { minimum: 1 } },
    ],
    [{ properties: { a: true } }, { properties: { a: {} } }],
  ])("of version 3.1 keeps what clients know: %j → %j", async (schema, expected) => {
    expect(await mapped(schema, NEW)).toEqual(expected);
  });

  it("has names for arguments that are no other's, and that clients take", async () => {
    const parameters = ["path", "query", "header", "cookie"].map((place) => ({
      name: "id",
      in: place,
      required: place === "path",
      schema: { type: "string" },
    }));
    const odd = ["filter[name]", "filter_name", "$top", "body", "__proto__", "x".repeat(80)].map((name) => ({
      name,
      in: "query",
      schema: { type: "string" },
    }));
    const more = { operationId: "op", requestBody: { content: { "application/json": {} } } };
    const document = documentOf({ "/{id}": { post: operationOf([...odd, ...parameters], more) } });
    const witness = await startWitness();
    const provider = await openApi(document, { baseUrl: witness.url });
    const names = Object.keys(provider.tools.get("op")?.inputSchema.properties ?? {});
    expect(names).toEqual([
      "filter_name",
      "query_filter_name",
      "top",
      "query_body",
      "proto",
      "x".repeat(60),
      "id",
      "query_id",
      "header_id",
      "cookie_id",
      "body",
    ]);
    await call(provider, "op", Object.fromEntries(names.map((name, index) => [name, String(index)])));
    expect(witness.arrived[0]).toMatchObject({
      url: `/6?filter%5Bname%5D=0&filter_name=1&%24top=2&body=3&__proto__=4&${"x".repeat(80)}=5&id=7`,
      headers: { id: "8", cookie: "id=9" },
      body: '"10"',
    });
  });
});

it("of a path that stands elsewhere is read there, with what stands beside the reference", async () => {
  const witness = await startWitness();
  const shared = { parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }] };
  const document = documentOf({
    "/a/{id}": { $ref: "#/paths/~1b~1%7Bid%7D", get: operationOf([], { operationId: "beside" }) },
    "/b/{id}": { ...shared, delete: operationOf([], { operationId: "there" }) },
  });
  const operations = operationsOf(document).concat({
    name: "referred",
    method: "delete",
    path: "/a/{id}",
    label: INTERNAL,
    fields: null,
  });
  const provider = await openApi(document, { baseUrl: witness.url, operations });
  expect([...provider.leftOut]).toEqual([]);
  for (const tool of provider.tools.keys()) await call(provider, tool, { id: "1" });
  expect(witness.arrived.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET /a/1",
    "DELETE /b/1",
    "DELETE /a/1",
  ]);
});
