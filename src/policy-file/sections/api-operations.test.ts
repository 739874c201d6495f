import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../document/json-value.ts";
import { listOperations } from "./api-document.ts";

const documentWith = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: "3.1.0",
  paths,
  ...more,
});
const named = (document: JsonObject): readonly string[] =>
  listOperations(document).map(({ name, method, path }) => `${name} = ${method} ${path}`);

describe("the operations of a document", () => {
  test("are those of every path's methods, in the document's order, and nothing else that stands there", () => {
    const document = documentWith({
      "/b": { trace: {}, parameters: [], get: {}, summary: "x", servers: [], "x-get": {}, GET: {} },
      "/a": { post: { operationId: "makeA" }, put: null },
      "x-paths": { get: {} },
      "/": { head: {} },
    });
    expect(named(document)).toEqual([
      "trace_b = trace /b",
      "get_b = get /b",
      "makeA = post /a",
      "head = head /",
    ]);
  });

  test.each([
    ["listPets", "listPets"],
    ["pets.list", "pets_list"],
    ["  Get a pet (by id)! ", "Get_a_pet_by_id"],
    ["repos/list-for-org", "repos_list-for-org"],
    ["__proto__", "proto"],
    ["größe", "gr_e"],
    ["日本", "get_pets_by_id"],
    ["", "get_pets_by_id"],
    [7, "get_pets_by_id"],
    ["x".repeat(90), "x".repeat(64)],
  ])("of the id %j is called %s", (operationId, name) => {
    expect(listOperations(documentWith({ "/pets/{id}": { get: { operationId } } }))[0]?.name).toBe(name);
  });

  test("that would be called the same get numbers in the document's order, and take no other's name", () => {
    const same = (operationId: string) => ({ operationId });
    const document = documentWith({
      "/1": { get: same("find"), put: same("find") },
      "/2": { get: same("find_2") },
      "/3": { get: same("fi.nd"), put: same("fi/nd"), post: same("find") },
      "/4": { get: same("y".repeat(64)), put: same("y".repeat(70)) },
      "/x/y": { get: {} },
      "/x_y": { get: {} },
    });
    const names = listOperations(document).map(({ name }) => name);
    expect(names).toEqual([
      "find",
      "find_3",
      "find_2",
      "fi_nd",
      "fi_nd_2",
      "find_4",
      "y".repeat(64),
      `${"y".repeat(62)}_2`,
      "get_x_y",
      "get_x_y_2",
    ]);
    expect(new Set(names).size).toBe(names.length);
  });

  test("that are ten thousand of one name are named in no time", () => {
    const paths = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`/p${index}`, { get: { operationId: "same" } }]),
    );
    const names = listOperations(documentWith(paths)).map(({ name }) => name);
    expect(new Set(names).size).toBe(10_000);
    expect(names.at(-1)).toBe("same_10000");
  });

  test("of a path that refers to another place in the document are that place's", () => {
    const document = documentWith(
      {
        "/a": { $ref: "#/components/pathItems/a~1b%20c" },
        "/b": { $ref: "#/paths/~1a", post: { operationId: "own" } },
      },
      { components: { pathItems: { "a/b c": { get: { operationId: "shared" } } } } },
    );
    expect(named(document)).toEqual(["shared = get /a", "shared_2 = get /b", "own = post /b"]);
  });

  test.each([
    ["another document", { "/a": { $ref: "other.json#/a" } }, "has a path with a `$ref` to another document"],
    ["nowhere", { "/a": { $ref: "#/components/constructor" } }, "that leads nowhere"],
    ["an inherited name", { "/a": { $ref: "#/paths/__proto__/toString" } }, "that leads nowhere"],
    ["itself", { "/a": { $ref: "#/paths/~1a" } }, "leads in a circle"],
    ["no object", { "/a": { $ref: "#/openapi" } }, "has a path that isn't an object"],
    ["a broken escape", { "/a": { $ref: "#/%zz" } }, "that leads nowhere"],
  ])("of a path that refers to %s can't be listed", (_, paths, message) => {
    expect(() => listOperations(documentWith(paths))).toThrow(message);
  });

  test.each([
    ["that is a list", { "/a": [] }, "has a path that isn't an object"],
    ["that is text", { "/a": "get" }, "has a path that isn't an object"],
    ["without a slash", { a: { get: {} } }, "has a path that doesn't begin with `/`"],
  ])("of a path %s can't be listed", (_, paths, message) => {
    expect(() => listOperations(documentWith(paths))).toThrow(message);
  });

  test("of real documents have names that a tool may have, each its own (A5)", () => {
    const folder = new URL("../../../node_modules/@readme/oas-examples/", import.meta.url);
    let count = 0;
    for (const version of ["3.0", "3.1"]) {
      const documents = new URL(`${version}/json/`, folder);
      for (const file of readdirSync(documents).filter((name) => name.endsWith(".json"))) {
        const document = JSON.parse(readFileSync(new URL(file, documents), "utf8"));
        if (document.paths === undefined) continue;
        const names = listOperations(document).map(({ name }) => name);
        expect(new Set(names).size, file).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        count += names.length;
      }
    }
    expect(count).toBeGreaterThan(200);
  });
});
