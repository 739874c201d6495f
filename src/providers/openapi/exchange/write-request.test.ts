/** What a server sees of arguments: each test sends a real request, and examines what has arrived. */
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../runtime/index.ts";
import {
  call,
  closeAll,
  documentOf,
  INTERNAL,
  openApi,
  operationOf,
  startWitness,
  textOf,
} from "../openapi.test-kit.ts";

afterEach(closeAll);

/** The target that arrives for one parameter, or what the tool says where none does. */
async function sent(place: string, parameter: JsonObject, value: unknown): Promise<string> {
  const witness = await startWitness();
  const path = place === "path" ? "/x/{color}/y" : "/x";
  const declared = { name: "color", in: place, required: place === "path", schema: {}, ...parameter };
  const document = documentOf({ [path]: { get: operationOf([declared], { operationId: "op" }) } });
  const provider = await openApi(document, { baseUrl: `${witness.url}/base` });
  const result = await call(provider, "op", value === undefined ? {} : { color: value });
  const [arrived] = witness.arrived;
  if (arrived === undefined) return textOf(result);
  if (place === "header") return String(arrived.headers.color);
  if (place === "cookie") return String(arrived.headers.cookie);
  return arrived.url;
}

const LIST = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

describe("a value in a path", () => {
  it.each<[JsonObject, unknown, string]>([
    [{}, "blue", "/base/x/blue/y"],
    [{}, 5, "/base/x/5/y"],
    [{}, true, "/base/x/true/y"],
    [{}, LIST, "/base/x/blue,black,brown/y"],
    [{}, OBJECT, "/base/x/R,100,G,200,B,150/y"],
    [{ explode: true }, OBJECT, "/base/x/R=100,G=200,B=150/y"],
    [{ style: "label" }, "blue", "/base/x/.blue/y"],
    [{ style: "label" }, LIST, "/base/x/.blue,black,brown/y"],
    [{ style: "label", explode: true }, LIST, "/base/x/.blue.black.brown/y"],
    [{ style: "label", explode: true }, OBJECT, "/base/x/.R=100.G=200.B=150/y"],
    [{ style: "matrix" }, "blue", "/base/x/;color=blue/y"],
    [{ style: "matrix" }, LIST, "/base/x/;color=blue,black,brown/y"],
    [{ style: "matrix", explode: true }, LIST, "/base/x/;color=blue;color=black;color=brown/y"],
    [{ style: "matrix", explode: true }, OBJECT, "/base/x/;R=100;G=200;B=150/y"],
    [{ style: "matrix" }, OBJECT, "/base/x/;color=R,100,G,200,B,150/y"],
    [{ schema: undefined, content: { "application/json": {} } }, { a: 1 }, "/base/x/%7B%22a%22%3A1%7D/y"],
    // What would have a meaning in a path has none.
    [{}, "a/b", "/base/x/a%2Fb/y"],
    [{}, "a\\b", "/base/x/a%5Cb/y"],
    [{}, "a?b=c", "/base/x/a%3Fb%3Dc/y"],
    [{}, "a#b", "/base/x/a%23b/y"],
    [{}, "a;b", "/base/x/a%3Bb/y"],
    [{}, "%2fb", "/base/x/%252fb/y"],
    [{}, "a b", "/base/x/a%20b/y"],
    [{}, "é☃", "/base/x/%C3%A9%E2%98%83/y"],
    [{}, "...", "/base/x/.../y"],
    [{}, "a..b", "/base/x/a..b/y"],
    [{}, "@me:*", "/base/x/%40me%3A%2A/y"],
  ])("is written as its style says: %j %j → %s", async (parameter, value, expected) => {
    expect(await sent("path", parameter, value)).toBe(expected);
  });

  it.each<[unknown, string]>([
    ["", "is empty"],
    [[], "is empty"],
    [{}, "is empty"],
    [[""], "is empty"],
    [null, "is empty"],
    [".", "dot segment"],
    ["..", "dot segment"],
    ["../admin", "dot segment"],
    ["a/../../b", "dot segment"],
    ["a/..", "dot segment"],
    ["..\\admin", "dot segment"],
    ["%2e%2e", "dot segment"],
    ["%2E.", "dot segment"],
    ["%252e%252e", "dot segment"],
    ["..%2fadmin", "dot segment"],
    ["..;/admin", "dot segment"],
    ["a\nb", "characters that no path can have"],
    ["a\u0000b", "characters that no path can have"],
    ["\ud800", "cut in two"],
    [undefined, "`color` is missing"],
  ])("can't change the path: %j is refused, since it %s", async (value, words) => {
    expect(await sent("path", {}, value)).toContain(words);
  });

  it("can't make a dot segment with what stands beside it, or with its style", async () => {
    expect(await sent("path", { style: "label" }, ".")).toContain("dot segment");
    const witness = await startWitness();
    const parameters = [
      { name: "a", in: "path", required: true, schema: { type: "string" } },
      { name: "b", in: "path", required: true, schema: { type: "string" } },
    ];
    const document = documentOf({
      "/{a}{b}/{a}.{b}": { get: operationOf(parameters, { operationId: "op" }) },
    });
    const provider = await openApi(document, { baseUrl: witness.url });
    expect(textOf(await call(provider, "op", { a: ".", b: "." }))).toContain("dot segment");
    await call(provider, "op", { a: "x", b: "y" });
    expect(witness.arrived.map(({ url }) => url)).toEqual(["/xy/x.y"]);
  });
});

it.each([
  ["/t/{id}", "export", "another"],
  ["/t/{id}", "EXPORT", "another"],
  ["/t/{id}", "%65xport", "another"],
  ["/t/{id}", "export;v=1", "another"],
  ["/t/{id}", "export.json", "another"],
  ["/t/{id}", "Export%2EXML", "another"],
  ["/t/{id}", "report.json", "/t/report.json"],
  ["/t/{id}", "1/notes", "another"],
  ["/t/{id}", "1:close", "another"],
  ["/t/{id}", "1", "/t/1"],
  ["/t/{id}", "1:open", "/t/1%3Aopen"],
  ["/t/{id}", "exports", "/t/exports"],
  ["/t/{id}", "delete", "/t/delete"],
  ["/t/{id}:close", "x", "/t/x:close"],
  ["/{kind}/{id}", "t", "another"],
])("a value in the path %s can't make it another operation's: %s", async (path, id, expected) => {
  const witness = await startWitness();
  const inPath = (name: string): JsonObject => ({ name, in: "path", required: true, schema: {} });
  const get = (id: string) => ({ get: operationOf([inPath("id"), inPath("kind")], { operationId: id }) });
  const document = documentOf(
    {
      "/t/{id}": get("one"),
      "/t/export": get("export"),
      "/t/{id}/notes": get("notes"),
      "/t/{id}:close": { $ref: "#/components/pathItems/close" },
      "/t/delete": { post: operationOf([], { operationId: "delete" }) },
      "/{kind}/{id}": get("any"),
    },
    { components: { pathItems: { close: get("close") } } },
  );
  const operations = [{ name: "called", method: "get", path, label: INTERNAL, fields: null }];
  const provider = await openApi(document, { baseUrl: witness.url, operations });
  const told = textOf(await call(provider, "called", { id, kind: id }));
  expect(witness.arrived[0]?.url ?? told).toContain(expected);
});

describe("a value in a query", () => {
  it.each<[JsonObject, unknown, string]>([
    [{}, "blue", "?color=blue"],
    [{}, "", "?color="],
    [{}, null, ""],
    [{}, undefined, ""],
    [{}, [], ""],
    [{}, LIST, "?color=blue&color=black&color=brown"],
    [{ explode: false }, LIST, "?color=blue,black,brown"],
    [{}, OBJECT, "?R=100&G=200&B=150"],
    [{ explode: false }, OBJECT, "?color=R,100,G,200,B,150"],
    [{ style: "spaceDelimited", explode: false }, LIST, "?color=blue%20black%20brown"],
    [{ style: "pipeDelimited", explode: false }, LIST, "?color=blue%7Cblack%7Cbrown"],
    [{ style: "pipeDelimited", explode: true }, LIST, "?color=blue&color=black&color=brown"],
    [{ style: "deepObject", explode: true }, OBJECT, "?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
    [
      { style: "deepObject", explode: true },
      { a: { b: [1, 2] } },
      "?color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bb%5D=2",
    ],
    [
      { schema: undefined, content: { "application/json": {} } },
      { a: [1] },
      "?color=%7B%22a%22%3A%5B1%5D%7D",
    ],
    [{}, "a&admin=1#x?+ =", "?color=a%26admin%3D1%23x%3F%2B%20%3D"],
    [{ allowReserved: true }, "a/b:c?d@e,f", "?color=a/b:c?d@e,f"],
    [{ allowReserved: true }, "a&b=c#d;e+%41", "?color=a%26b%3Dc%23d%3Be%2B%2541"],
    [{ explode: false }, ["a,b", "c"], "?color=a%2Cb,c"],
    [{}, ["a", null, { b: 1 }], "?color=a&color=%7B%22b%22%3A1%7D"],
    [{}, { "a&b": "=" }, "?a%26b=%3D"],
  ])("is written as its style says: %j %j → %s", async (parameter, value, expected) => {
    expect(await sent("query", parameter, value)).toBe(`/base/x${expected}`);
  });
});

describe("a value in a header", () => {
  it.each<[JsonObject, unknown, string]>([
    [{}, "blue", "blue"],
    [{}, LIST, "blue,black,brown"],
    [{}, OBJECT, "R,100,G,200,B,150"],
    [{ explode: true }, OBJECT, "R=100,G=200,B=150"],
    [{ schema: undefined, content: { "application/json": {} } }, [1, { a: 2 }], '[1,{"a":2}]'],
    [{}, null, "undefined"],
  ])("is written as its style says: %j %j → %s", async (parameter, value, expected) => {
    expect(await sent("header", parameter, value)).toBe(expected);
  });

  it.each(["a\r\nx-admin: 1", "a\nb", "a\u0000", "é"])("can't hold %j", async (value) => {
    expect(await sent("header", {}, value)).toContain("`color` has characters that no header can have");
  });
});

describe("a value in a cookie", () => {
  it.each<[unknown, string]>([
    ["blue", "color=blue"],
    [LIST, "color=blue,black,brown"],
    [OBJECT, "color=R,100,G,200,B,150"],
    ["a; session=stolen", "color=a%3B%20session%3Dstolen"],
    [{ session: "stolen" }, "color=session,stolen"],
  ])("stays in its own cookie: %j → %s", async (value, expected) => {
    expect(await sent("cookie", {}, value)).toBe(expected);
  });
});

describe("a body", () => {
  const bodyOf = async (content: JsonObject, value: unknown) => {
    const witness = await startWitness();
    const more = { operationId: "op", requestBody: { required: true, content } };
    const provider = await openApi(documentOf({ "/x": { post: operationOf([], more) } }), {
      baseUrl: witness.url,
      query: { api_key: "0123456789" },
    });
    const result = await call(provider, "op", { body: value });
    const [arrived] = witness.arrived;
    return arrived
      ? {
          type: arrived.headers["content-type"],
          length: arrived.headers["content-length"],
          body: arrived.body,
        }
      : textOf(result);
  };

  it("is JSON where there is a choice, with the type as declared", async () => {
    const content = { "text/plain": {}, "application/merge-patch+json": { schema: { type: "object" } } };
    expect(await bodyOf(content, { name: "Zoë", list: [1, null] })).toEqual({
      type: "application/merge-patch+json",
      length: "31",
      body: '{"name":"Zoë","list":[1,null]}',
    });
  });

  it("is a form, whose fields are styled as their encodings say", async () => {
    const content = {
      "application/x-www-form-urlencoded": {
        schema: { type: "object" },
        encoding: { tags: { style: "form", explode: false }, at: { style: "deepObject", explode: true } },
      },
    };
    const value = {
      name: "a&b=c d",
      tags: ["x", "y"],
      at: { city: "Q" },
      plain: { z: 1 },
      ids: [1, 2],
      no: null,
    };
    expect(await bodyOf(content, value)).toEqual({
      type: "application/x-www-form-urlencoded",
      length: "78",
      body: "name=a%26b%3Dc%20d&tags=x,y&at%5Bcity%5D=Q&plain=%7B%22z%22%3A1%7D&ids=1&ids=2",
    });
  });

  it("is a multipart form of texts", async () => {
    const content = {
      "multipart/form-data": {
        schema: { type: "object", properties: { file: { type: "string", format: "binary" } } },
        encoding: { file: { contentType: "text/csv" } },
      },
    };
    const found = await bodyOf(content, {
      file: "a,b\r\n1,2",
      meta: { k: 1 },
      'na"me\r\n': "v",
      tags: ["x", "y"],
    });
    if (typeof found === "string") throw new Error(found);
    const boundary = /^multipart\/form-data; boundary=(sluicegate-[0-9a-f]{40})$/.exec(found.type ?? "")?.[1];
    expect(found.body.split(`--${boundary}`)).toEqual([
      "",
      '\r\nContent-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: text/csv\r\n\r\na,b\r\n1,2\r\n',
      '\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"k":1}\r\n',
      '\r\nContent-Disposition: form-data; name="na%22me%0D%0A"\r\n\r\nv\r\n',
      '\r\nContent-Disposition: form-data; name="tags"\r\n\r\nx\r\n',
      '\r\nContent-Disposition: form-data; name="tags"\r\n\r\ny\r\n',
      "--\r\n",
    ]);
  });

  it("is read as a form by a parser that isn't ours", async () => {
    const content = { "multipart/form-data": { schema: { type: "object" } } };
    const found = await bodyOf(content, { name: "Zoë", quote: 'a"b' });
    if (typeof found === "string") throw new Error(found);
    const form = await new Response(found.body, { headers: { "content-type": found.type ?? "" } }).formData();
    expect([...form]).toEqual([
      ["name", "Zoë"],
      ["quote", 'a"b'],
    ]);
  });

  it.each([
    "application/x-www-form-urlencoded",
    "multipart/form-data",
  ])("is no form with a field that a server may read as the operator's parameter: %s", async (type) => {
    for (const name of ["api_key", "API.key", "api_key[]"]) {
      expect(await bodyOf({ [type]: { schema: { type: "object" } } }, { a: 1, [name]: "mine" })).toContain(
        "would set a parameter that is the operator's",
      );
    }
  });

  it("is a text", async () => {
    expect(await bodyOf({ "text/markdown": {} }, "# Zoë")).toEqual({
      type: "text/markdown; charset=utf-8",
      length: "6",
      body: "# Zoë",
    });
    expect(await bodyOf({ "text/plain": {} }, { a: 1 })).toContain("`body` must be a text");
  });
});

describe("arguments that are not as declared", () => {
  it.each<[JsonObject, string]>([
    [{}, "`id` is missing."],
    [{ id: "seven" }, "`id` must be an integer."],
    [{ id: 0 }, "`id` must be at least 1."],
    [{ id: 1, order: "up" }, '`order` must be one of "asc", "desc".'],
    [{ id: 1, other: true }, "`other` is no field that there is."],
    [{ id: 1, body: { items: [{ name: "a" }, { name: 2 }] } }, "`body.items[1].name` must be a text."],
    [{ id: 1, body: { items: [{}] } }, "`body.items[0].name` is missing."],
    [{ id: 1, body: { items: [], more: 1 } }, "`body.more` is no field that there is."],
    [{ id: 1, body: { price: "1" } }, "`body.price` must be a number or null."],
    [{ id: 1, body: { tags: ["a", "b", "c"] } }, "`body.tags` must have at most this many items: 2."],
    [{ id: 1, body: { either: true } }, "`body.either` has none of the forms that it may have."],
  ])("are told which field is wrong, and nothing is sent: %j → %s", async (args, expected) => {
    const witness = await startWitness();
    const schema = {
      type: "object",
      additionalProperties: false,
      properties: {
        items: { type: "array", items: { $ref: "#/components/schemas/Item" } },
        price: { type: "number", nullable: true },
        tags: { type: "array", maxItems: 2, items: { type: "string" } },
        either: { oneOf: [{ type: "string" }, { type: "integer" }] },
      },
    };
    const parameters = [
      { name: "id", in: "query", required: true, schema: { type: "integer", minimum: 1 } },
      { name: "order", in: "query", schema: { type: "string", enum: ["asc", "desc"] } },
    ];
    const more = { operationId: "op", requestBody: { content: { "application/json": { schema } } } };
    const Item = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
    const document = documentOf(
      { "/x": { post: operationOf(parameters, more) } },
      { components: { schemas: { Item } } },
    );
    const provider = await openApi(document, { baseUrl: witness.url });
    const result = await call(provider, "op", args);
    expect([result.isError, textOf(result), witness.arrived]).toEqual([true, expected, []]);
  });
});
