import vm from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTexts } from "./read-texts.ts";

const BYTES = 200_000;
const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

const textOf = (value: unknown): string | null => readTexts(value, BYTES)?.text ?? null;

class Row {
  readonly token = TOKEN;
  print(): void {}
}

class Secretive {
  readonly #text = TOKEN;
  toString(): string {
    return this.#text;
  }
}

describe("what is read of a result", () => {
  it.each([
    ["a page", { next: "/items?page=2", results: ["plain"] }],
    ["steps", JSON.parse('{ "then": "plain", "when": { "getReader": null, "arrayBuffer": 3 } }')],
    ["words", [{ toString: "plain", toJSON: true, valueOf: [], join: "x" }]],
  ])("is all of plain JSON, whatever its keys are called: %s (C1-detectors)", (_, value) => {
    expect(textOf(value)).toContain("plain");
  });

  it.each<[string, () => unknown]>([
    ["an object of a class", () => [new Row()]],
    ["a record without a prototype", () => Object.assign(Object.create(null), { token: TOKEN })],
    ["an address", () => ({ url: new URL(`https://localhost/${TOKEN}`) })],
    ["JSON of its own", () => ({ toJSON: () => [TOKEN] })],
    ["JSON that depends on its key", () => ({ list: { toJSON: (key: string) => key === "list" && TOKEN } })],
    ["bytes that are a text", () => Buffer.from(TOKEN)],
    ["an error", () => new Error(TOKEN)],
    ["an error's cause", () => new Error("failed", { cause: { token: TOKEN } })],
    ["several errors in one", () => new AggregateError([new Error(TOKEN)])],
    ["an error of another realm", () => vm.runInNewContext(`new Error("${TOKEN}")`)],
    ["an error of the platform", () => new DOMException(TOKEN, "TimeoutError")],
  ])("has the text of %s (C1-detectors)", (_, make) => {
    expect(textOf(make())).toContain(TOKEN);
  });

  it.each<[string, () => unknown]>([
    ["a response", () => new Response(TOKEN)],
    ["a file", () => [new Blob([TOKEN])]],
    ["headers", () => new Headers({ authorization: TOKEN })],
    ["a map", () => ({ map: new Map([["a", TOKEN]]) })],
    ["a set", () => new Set([TOKEN])],
    ["a boxed text", () => new String(TOKEN)],
    ["a promise", () => Promise.resolve(TOKEN)],
    ["a symbol", () => [Symbol(TOKEN)]],
    ["a function", () => () => TOKEN],
    ["a function in a record", () => ({ run: () => TOKEN })],
    ["what has its own text", () => [new Secretive()]],
    ["what can be looped over", () => ({ [Symbol.iterator]: () => [TOKEN].values() })],
    ["JSON that is none", () => ({ toJSON: () => new Map([["a", TOKEN]]) })],
    ["a getter that throws", () => Object.defineProperty({}, "a", { enumerable: true, get: () => fail() })],
    ["objects without an end", () => nested(3_000, 100)],
  ])("is nothing where it is no JSON: %s (C1-detectors)", (_, make) => {
    expect(textOf(make())).toBeNull();
  });

  it("is all of any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(textOf([value, TOKEN])).toContain(TOKEN);
      }),
    );
  });
});

const fail = (): never => {
  throw new Error("It can't be read.");
};

const nested = (lists: number, items: number): unknown[] =>
  Array.from({ length: lists }, () => Array.from({ length: items }, () => []));
