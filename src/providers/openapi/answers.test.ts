/** What leaves the provider of an API's answer, and what never does. */
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../runtime/index.ts";
import type { ApiOptions } from "./api-tool.ts";
import { createAnswerReader } from "./exchange/answer-reader.ts";
import { createFieldFilter } from "./exchange/field-filter.ts";
import { toResult } from "./exchange/to-result.ts";
import { isShallow } from "./json-value.ts";
import {
  answerJson,
  call,
  closeAll,
  documentOf,
  INTERNAL,
  openApi,
  operationOf,
  PUBLIC,
  startWitness,
  textOf,
} from "./openapi.test-kit.ts";

afterEach(closeAll);

const DOCUMENT = documentOf({ "/x": { get: operationOf([], { operationId: "read" }) } });

type Raw = { readonly status?: number; readonly type?: string; readonly body?: string | Buffer };

async function answered({ status = 200, type, body = "" }: Raw, options: Partial<ApiOptions> = {}) {
  const witness = await startWitness((_, __, response) => {
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  });
  return call(await openApi(DOCUMENT, { baseUrl: witness.url, ...options }), "read");
}

const withFields = (fields: readonly string[]): Partial<ApiOptions> => ({
  operations: [{ name: "read", method: "get", path: "/x", label: PUBLIC, fields }],
});

describe("an answer", () => {
  it.each<[string, Raw, JsonObject]>([
    ["an object", { type: "application/json", body: '{"a":[1]}' }, { a: [1] }],
    ["of another JSON type", { type: "application/hal+json; charset=utf-8", body: '{"a":1}' }, { a: 1 }],
    ["a list", { type: "application/json", body: "[1,2]" }, { body: [1, 2] }],
    ["a scalar", { type: "application/json", body: '"x"' }, { body: "x" }],
    ["without a type", { body: '{"a":1}' }, { a: 1 }],
    [
      "with integers that no number holds",
      { type: "application/json", body: '{"id":12345678901234567890,"n":1.5}' },
      { id: "12345678901234567890", n: 1.5 },
    ],
    [
      "with numbers that none can hold",
      { type: "application/json", body: '{"a":1e400,"b":-2E+999,"c":[1e4]}' },
      { a: "1e400", b: "-2E+999", c: [10000] },
    ],
  ])("in JSON is structured content and the same as text: %s", async (_, raw, structuredContent) => {
    const result = await answered(raw);
    expect(result.structuredContent).toEqual(structuredContent);
    const text = JSON.parse(textOf(result));
    expect(text).toEqual("body" in structuredContent ? structuredContent.body : structuredContent);
    expect(result.isError).toBeUndefined();
  });

  it("with a name that objects have as a setter is data like any other", async () => {
    const result = await answered({ type: "application/json", body: '{"__proto__":{"a":1},"b":2}' });
    expect(textOf(result)).toBe('{"__proto__":{"a":1},"b":2}');
    expect(Object.keys(result.structuredContent ?? {})).toEqual(["__proto__", "b"]);
  });

  it.each<[string, Raw, string]>([
    ["text", { type: "text/csv; charset=utf-8", body: "a,Zoë" }, "a,Zoë"],
    ["text in another charset", { type: "text/plain; charset=iso-8859-1", body: Buffer.from([0xe9]) }, "é"],
    ["text in no known charset", { type: "text/plain; charset=x", body: "é" }, "é"],
    ["XML", { type: "application/atom+xml", body: "<a/>" }, "<a/>"],
    ["broken JSON", { type: "application/json", body: "{oops" }, "{oops"],
    ["nothing", { status: 204 }, "The API answered 204 (No Content), without a body."],
    [
      "bytes",
      { type: "image/png", body: Buffer.alloc(7) },
      "The API answered with 7 bytes of image/png, which are not shown.",
    ],
    [
      "no type",
      { body: Buffer.from([0xff, 0]) },
      "The API answered with 2 bytes of no known type, which are not shown.",
    ],
  ])("that is %s is told as a text", async (_, raw, expected) => {
    const result = await answered(raw);
    expect([textOf(result), result.structuredContent, result.isError]).toEqual([
      expected,
      undefined,
      undefined,
    ]);
  });

  it("that is long is cut, and its length is told", async () => {
    const text = await answered({ type: "text/plain", body: "x".repeat(150_000) });
    expect(textOf(text)).toMatch(
      /^x{100000}\n\n\[Cut here: these are the first 100000 of 150000 characters\.\]$/,
    );
    const json = await answered({
      type: "application/json",
      body: JSON.stringify({ a: "y".repeat(150_000) }),
    });
    expect(textOf(json)).toContain("these are the first 100000 of 150008 characters.");
    expect(json.structuredContent).toBeUndefined();
  });

  it("nested without end holds nothing else up", async () => {
    const before = performance.now();
    expect(isShallow(`["]",${"[".repeat(2_000_000)}`, 100)).toBe(false);
    expect([isShallow('["[[\\"[", {}, []]', 2), isShallow("[[[]]]", 2)]).toEqual([true, false]);
    expect(isShallow(`"${'\\"'.repeat(1_000_000)}`, 100)).toBe(true);
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it("that is large is read without holding anybody else up, and filtered as ever", async () => {
    const items = Array.from({ length: 60_000 }, (_, id) => ({ id, name: "Ada", tags: ["a", "b"], n: 12.5 }));
    const body = JSON.stringify({ items, total: items.length });
    const response = { status: 200, contentType: "application/json", body: Buffer.from(body) };
    const rules = { sent: [{ authorization: "Bearer a-long-credential" }], fields: ["total", "items[].id"] };
    const spent = async (work: () => unknown): Promise<number> => {
      const before = process.threadCpuUsage().user;
      await work();
      return process.threadCpuUsage().user - before;
    };
    const here = await spent(() => toResult(response, rules));
    const reader = createAnswerReader();
    const small = { ...response, body: Buffer.from('{"total":1,"items":[{"id":2,"name":"Ada"}]}') };
    const read = () => Promise.all([reader.read(response, rules), reader.read(small, rules)]);
    expect(await spent(read)).toBeLessThan(here / 2);
    const [large, other] = await read();
    expect(textOf(large)).toMatch(/^\{"items":\[\{"id":0\},\{"id":1\},.*Cut here/s);
    expect(other.structuredContent).toEqual({ total: 1, items: [{ id: 2 }] });
    await reader.close();
    await expect(reader.read(response, rules)).rejects.toMatchObject({ code: "result-too-large" });
  });

  it("nested without end is told as a text", async () => {
    const result = await answered({
      type: "application/json",
      body: "[".repeat(50_000) + "]".repeat(50_000),
    });
    expect([result.structuredContent, textOf(result).length]).toEqual([undefined, 100_000]);
  });

  it.each([
    [404, "The API answered 404 (Not Found)."],
    [500, "The API answered 500 (Internal Server Error)."],
    [599, "The API answered 599."],
    [304, "The API answered 304 (Not Modified)."],
  ])("with status %i is an error, with its status and a bounded body", async (status, sentence) => {
    const long = await answered({
      status,
      type: "application/json",
      body: JSON.stringify({ why: "z".repeat(9000) }),
    });
    expect([long.isError, long.structuredContent, long.content[0]]).toEqual([
      true,
      { status },
      { type: "text", text: sentence },
    ]);
    expect(textOf(long).length).toBeLessThan(4_200);
    if (status !== 304) expect(textOf(long)).toContain("of 9010 characters");
  });
});

describe("an operation with fields", () => {
  it.each<[readonly string[], unknown, unknown]>([
    [["id"], { id: 1, name: "x" }, { id: 1 }],
    [["id", "owner"], { id: 1, owner: { a: { b: 1 } }, x: 1 }, { id: 1, owner: { a: { b: 1 } } }],
    [["items[].id"], { items: [{ id: 1, n: 2 }, { n: 3 }, 4], n: 5 }, { items: [{ id: 1 }, {}, null] }],
    [["[].id"], [{ id: 1, n: 2 }], { body: [{ id: 1 }] }],
    [["[][]"], [[1, 2], 3], { body: [[1, 2], null] }],
    [["*"], { a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 } }],
    [["*.id"], { a: { id: 1, n: 2 }, b: 3 }, { a: { id: 1 } }],
    [["*.id", "a.n"], { a: { id: 1, n: 2, x: 3 }, b: { id: 4, n: 5 } }, { a: { n: 2, id: 1 }, b: { id: 4 } }],
    [["a.b"], { a: "text" }, {}],
    [["a.b"], { a: [{ b: 1 }] }, {}],
    [["items[].id"], { items: { id: 1 } }, {}],
    [["toString", "constructor"], { a: 1 }, {}],
    [["__proto__.a"], JSON.parse('{"__proto__":{"a":1,"b":2}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ])("lets these through and nothing else: %j of %j", async (fields, body, expected) => {
    const result = await answered(
      { type: "application/json", body: JSON.stringify(body) },
      withFields(fields),
    );
    expect(result.structuredContent).toEqual(expected);
    expect(Object.keys(result.structuredContent ?? {})).toEqual(Object.keys(expected as object));
  });

  it.each<[string, Raw]>([
    ["an error", { status: 404, type: "application/json", body: '{"id":"SECRET"}' }],
    ["an error in text", { status: 500, type: "text/plain", body: "SECRET" }],
    ["an error with its data in its type", { status: 500, type: "text/SECRET", body: "x" }],
    ["text", { type: "text/plain", body: "SECRET" }],
    ["broken JSON", { type: "application/json", body: '{"id":SECRET' }],
    ["JSON of another shape", { type: "application/json", body: '["SECRET"]' }],
    ["a scalar", { type: "application/json", body: '"SECRET"' }],
    ["bytes", { type: "image/SECRET", body: "SECRET" }],
    ["a redirect", { status: 300, type: "text/plain", body: "SECRET" }],
  ])("withholds all but the status of what isn't a success in JSON: %s", async (_, raw) => {
    const result = await answered(raw, withFields(["id"]));
    expect(JSON.stringify(result)).not.toContain("SECRET");
    expect(textOf(result)).toContain("only some fields of this operation's answers are let through");
  });

  it("is left out where one of them is no path", async () => {
    for (const path of ["", "a..b", "a[0]", ".a", "a.", "a[x]"]) {
      const provider = await openApi(DOCUMENT, {
        baseUrl: "http://127.0.0.1:1",
        ...withFields(["id", path]),
      });
      expect([path, provider.status, provider.leftOut.get("read")]).toEqual([
        path,
        "down",
        "One of its `fields` is no path of a field.",
      ]);
    }
  });

  it("with no field at all lets nothing through", () => {
    expect(createFieldFilter([])({ a: 1 })).toBeNull();
  });
});

describe("the operator's credentials", () => {
  const SECRETS = {
    headers: {
      Authorization: "Bearer tok-0123456789",
      "X-Basic": `Basic ${Buffer.from("someone:pass-9876543210").toString("base64")}`,
      Accept: "application/json",
      "X-Api-Version": "2026-01-01",
      Cookie: 'theme=dark; session="cookie-0123456789"',
      "X-Pin": "5550123456",
    },
    query: { api_key: 'key/+"0123456' },
  };

  it("arrive at the API, and are struck out of whatever it sends back", async () => {
    const witness = await startWitness(({ url, headers }, _, response) => {
      const echo = {
        url,
        headers,
        nested: [{ "tok-0123456789": "x tok-0123456789 y" }],
        plain: ['key/+"0123456', "pass-9876543210", "someone:pass-9876543210", "cookie-0123456789"],
        number: 5550123456,
        version: "2026-01-01",
      };
      const isError = url.includes("fail");
      response
        .writeHead(isError ? 500 : 200, { "content-type": "application/json" })
        .end(JSON.stringify(echo));
    });
    const parameters = [{ name: "q", in: "query", schema: {} }];
    const document = documentOf({ "/x": { get: operationOf(parameters, { operationId: "read" }) } });
    const provider = await openApi(document, { baseUrl: witness.url, ...SECRETS });
    const results = [await call(provider, "read"), await call(provider, "read", { q: "fail" })];
    expect(witness.arrived[0]?.url).toBe("/x?api_key=key%2F%2B%220123456");
    expect(witness.arrived[0]?.headers).toMatchObject({
      authorization: "Bearer tok-0123456789",
      accept: "application/json",
    });
    const shown = JSON.stringify([results, provider.problem, [...provider.tools.values()]]);
    for (const secret of ["tok-0123456789", "9876543210", "0123456", "c29tZW9uZ"])
      expect(shown).not.toContain(secret);
    expect(results[0]?.structuredContent?.number).toBe("[redacted]");
    expect(results[0]?.structuredContent?.version).toBe("2026-01-01");
  });

  it.each([
    "key%2f%2b%220123456",
    "key%2F%2B%220123456",
    String.raw`key\/+\"0123456`,
    Buffer.from('key/+"0123456').toString("base64").replace(/=+$/, ""),
    Buffer.from('key/+"0123456').toString("base64url"),
  ])("are struck out of texts in the form %s", async (form) => {
    const witness = await startWitness((_, __, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).end(`before ${form} after`);
    });
    const provider = await openApi(DOCUMENT, { baseUrl: witness.url, ...SECRETS });
    expect(textOf(await call(provider, "read"))).toMatch(/^before \[redacted\]=* after$/);
  });

  it("are in no error, and not to be seen in what was examined", async () => {
    const provider = await openApi(DOCUMENT, { baseUrl: "http://127.0.0.1:1", ...SECRETS });
    const examined = await provider.examine?.("read", {});
    const error = await provider.run("read", {}, examined ? { examined } : {}).catch((cause: Error) => cause);
    const { inspect } = await import("node:util");
    const shown = [
      inspect(examined, { depth: 9, showHidden: true }),
      inspect(error, { depth: 9 }),
      inspect(provider),
    ];
    for (const secret of ["tok-0123456789", "9876543210", "key/"]) expect(shown.join()).not.toContain(secret);
  });

  it.each([
    [{ "bad name": "v" }, "a name that no header can have"],
    [{ Host: "other" }, "may not hold `host`"],
    [{ "Transfer-Encoding": "chunked" }, "may not hold `transfer-encoding`"],
    [{ Authorization: "a\r\nx: SECRET" }, "The value of its header `Authorization` has characters"],
  ])("that can't be sent are told by name alone: %j", async (headers, words) => {
    const provider = await openApi(DOCUMENT, { baseUrl: "http://127.0.0.1:1", headers });
    expect([provider.status, provider.problem?.includes(words)]).toEqual(["down", true]);
    expect(provider.problem).not.toContain("SECRET");
  });

  it("can't be set by a model: neither as a parameter, nor by an object's own field names", async () => {
    const witness = await startWitness();
    const parameters = [
      "authorization",
      "X-Api-Key",
      "Cookie",
      "Host",
      "Content-Length",
      "X-HTTP-Method-Override",
      "X_HTTP_Method_Override",
      "x_api_key",
      "fine",
    ]
      .map((name): JsonObject => ({ name, in: "header", schema: { type: "string" } }))
      .concat([
        { name: "api_key", in: "query", required: true, schema: { type: "string" } },
        { name: "scheme_key", in: "query", schema: { type: "string" } },
        { name: "session", in: "cookie", schema: { type: "string" } },
        { name: "theme", in: "cookie", schema: { type: "string" } },
        { name: "filter", in: "query", schema: { type: "object" } },
      ]);
    const securitySchemes = {
      one: { type: "apiKey", in: "query", name: "scheme_key" },
      two: { type: "apiKey", in: "cookie", name: "session" },
      three: { $ref: "#/components/securitySchemes/four" },
      four: { type: "apiKey", in: "header", name: "x-api-key" },
    };
    const document = documentOf(
      { "/x": { get: operationOf(parameters, { operationId: "read" }) } },
      { components: { securitySchemes } },
    );
    const provider = await openApi(document, { baseUrl: witness.url, query: { API_KEY: "0123456789" } });
    const { inputSchema } = provider.tools.get("read") ?? {};
    expect(Object.keys((inputSchema?.properties ?? {}) as object)).toEqual(["fine", "theme", "filter"]);
    expect(inputSchema?.required).toBeUndefined();
    const spellings = ["api.key", "api key", " api_key", "api_key[]", "api_key[0]", "api_key\0", "_method"];
    for (const name of ["api_key", "Api_Key", "scheme_key", ...spellings]) {
      expect(textOf(await call(provider, "read", { filter: { [name]: "mine" } }))).toBe(
        "`filter` would set a parameter that is the operator's.",
      );
    }
    expect(textOf(await call(provider, "read", { authorization: "Bearer mine" }))).toContain(
      "is no field that there is",
    );
    expect(witness.arrived).toEqual([]);
    const other = await openApi(document, {
      baseUrl: witness.url,
      headers: { Cookie: "operator=0123456789" },
    });
    expect(Object.keys((other.tools.get("read")?.inputSchema.properties ?? {}) as object)).not.toContain(
      "theme",
    );
  });
});

it("is what its label says: the operation's own, before it runs, whatever comes", async () => {
  const witness = await startWitness(answerJson({ id: 1 }, 500));
  const operations = [
    { name: "a", method: "get", path: "/x", label: INTERNAL, fields: null },
    { name: "b", method: "get", path: "/x", label: PUBLIC, fields: ["id"] },
    { name: "c", method: "get", path: "/x", label: { ...PUBLIC, level: "unheard" }, fields: null },
  ];
  const provider = await openApi(DOCUMENT, { baseUrl: witness.url, operations });
  const sources = await Promise.all(
    ["a", "b", "c"].map(async (name) => (await provider.examine?.(name, {}))?.source),
  );
  expect(sources).toEqual([INTERNAL, PUBLIC, { level: "*", categories: ["*"], trust: "untrusted" }]);
  expect(witness.arrived).toEqual([]);
});
