import vm from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTexts } from "./read-texts.ts";

const BYTES = 200_000;
const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
const CARD = 4111111111111111;

const textOf = (value: unknown): string | null => readTexts(value, BYTES)?.text ?? null;

class Secretive {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
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
    ["headers", () => new Headers({ authorization: TOKEN })],
    ["a form", () => new URLSearchParams({ token: TOKEN })],
    ["what can be looped over", () => ({ [Symbol.iterator]: () => [TOKEN].values() })],
    ["a boxed text", () => new String(TOKEN)],
    ["a symbol's name", () => [Symbol(TOKEN)]],
    ["several errors in one", () => new AggregateError([new Error(TOKEN)])],
    ["an error that another one hid", () => new SuppressedError(1, new Error(TOKEN))],
    ["an error of another realm", () => vm.runInNewContext(`new Error("${TOKEN}")`)],
    ["what has its own text", () => [new Secretive(TOKEN)]],
    ["a record with its own text", () => ({ toString: () => TOKEN })],
    ["a record with its own value", () => ({ toString: null, valueOf: () => TOKEN })],
    ["a record with its own primitive", () => ({ [Symbol.toPrimitive]: () => TOKEN })],
    ["a record with its own tag", () => ({ [Symbol.toStringTag]: TOKEN })],
    ["a list with its own JSON", () => ({ rows: Object.assign([1], { toJSON: () => TOKEN }) })],
    ["a list with its own join", () => Object.assign([1], { join: () => TOKEN })],
    ["a list whose loop gives more", () => Object.assign([1], { [Symbol.iterator]: () => [TOKEN].values() })],
    ["a list whose loop gives less", () => Object.assign([TOKEN], { [Symbol.iterator]: () => [].values() })],
    ["a map with JSON of its own", () => Object.assign(new Map(), { toJSON: () => TOKEN })],
    ["a key of a map", () => new Map([[{ key: TOKEN }, 1]])],
    ["a set", () => new Set([[TOKEN]])],
    ["JSON that depends on its key", () => ({ list: { toJSON: (key: string) => key === "list" && TOKEN } })],
    ["JSON of a function in a record", () => ({ run: Object.assign(() => 1, { toJSON: () => TOKEN }) })],
    ["bytes that are a text", () => Buffer.from(TOKEN)],
    ["a function in a list", () => [vm.runInThisContext(`() => "${TOKEN}"`)]],
  ])("has the text of %s (C1-detectors)", (_, make) => {
    expect(textOf(make())).toContain(TOKEN);
  });

  it.each<[string, unknown]>([
    ["a number", new Number(CARD)],
    ["numbers", new Float64Array([CARD])],
    ["a big number", [Object(BigInt(CARD))]],
    ["a key of a map", new Map([[CARD, 1]])],
  ])("has the digits of %s (C1-detectors)", (_, value) => {
    expect(textOf(value)).toContain(String(CARD));
  });

  it.each<[string, () => unknown]>([
    ["a response", () => new Response(TOKEN)],
    ["a request", () => ({ request: new Request("http://localhost/", { method: "POST", body: TOKEN }) })],
    ["a file", () => [new Blob([TOKEN])]],
    ["a form with a file", () => Object.entries({ form: formWith(new Blob([TOKEN])) })],
    ["a function", () => () => TOKEN],
    ["what can be looped over once", () => ({ [Symbol.iterator]: always([TOKEN].values()) })],
    [
      "what has no end",
      () => ({
        *[Symbol.iterator]() {
          while (true) yield 1;
        },
      }),
    ],
    ["a function with a next one", () => Object.assign(() => 1, { next: () => 1 })],
    ["objects without an end", () => nested(3_000, 100)],
  ])("is nothing where it can't be read through: %s (C1-detectors)", (_, make) => {
    expect(textOf(make())).toBeNull();
  });

  it("uses nothing up (C1-detectors)", async () => {
    const response = new Response("text");
    const headers = new Headers({ a: "b" });
    expect([textOf(response), textOf(headers)]).toEqual([null, expect.stringContaining("a: b")]);
    expect([await response.text(), [...headers]]).toEqual(["text", [["a", "b"]]]);
  });

  it("is all that JSON or a text of it would show (C1-detectors)", () => {
    let shown = 0;
    fc.assert(
      fc.property(anything, (value) => {
        if (![JSON.stringify, String].some((show) => shows(show, value))) return;
        shown += 1;
        expect(textOf(value) ?? TOKEN).toContain(TOKEN);
      }),
      { numRuns: 2000 },
    );
    expect(shown).toBeGreaterThan(200);
  });
});

const always = (value: unknown) => () => value;

function formWith(file: Blob): FormData {
  const form = new FormData();
  form.set("file", file);
  return form;
}

const nested = (lists: number, items: number): unknown[] =>
  Array.from({ length: lists }, () => Array.from({ length: items }, () => []));

function shows(show: (value: unknown) => string | undefined, value: unknown): boolean {
  try {
    return show(value)?.includes(TOKEN) ?? false;
  } catch {
    return false;
  }
}

const fresh = <Value>(make: () => Value): fc.Arbitrary<Value> => fc.constant(null).map(make);

/** Names that decide how a value is shown, as keys of whatever there is. */
const NAMES = ["toJSON", "toString", "valueOf", "join", "then", "next", "name", "message", "cause", "a", "0"];
const SYMBOLS = [Symbol.iterator, Symbol.toPrimitive, Symbol.toStringTag];

const { anything } = fc.letrec((tie) => {
  const inner = tie("anything");
  const made = inner.map((value) => () => value);
  const bases = fc.oneof(
    fresh(() => ({})),
    inner.map((value) => Array.of(value)),
    inner.map((value) => new Map([[value, 1]])),
    inner.map((value) => new Map([["a", value]])),
    inner.map((value) => new Set([value])),
    inner.map((value) => new Error("failed", { cause: value })),
    inner.map((value) => new AggregateError([value])),
    fresh(() => Object(TOKEN)),
    fresh(() => Object(1)),
    fresh(() => new Error(TOKEN)),
    fresh(() => Object.create(null)),
    fresh(() => () => 1),
    fresh(() => new Date(0)),
    fresh(() => new Secretive(TOKEN)),
    fresh(() => new URL(`https://localhost/${TOKEN}`)),
    fresh(() => new Uint32Array(2)),
  );
  const key = fc.constantFrom<PropertyKey>(...NAMES, ...SYMBOLS);
  const extras = fc.array(fc.record({ name: key, held: fc.oneof(inner, made), enumerable: fc.boolean() }), {
    maxLength: 3,
  });
  return {
    anything: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(TOKEN, "plain", 1, null, undefined, true, Symbol(TOKEN)),
      fc.tuple(bases, extras).map(([value, properties]) => {
        for (const { name, held, enumerable } of properties) {
          const isNumber = ArrayBuffer.isView(value) && name === "0";
          if (!isNumber) Reflect.defineProperty(value, name, { value: held, enumerable, configurable: true });
        }
        return value;
      }),
    ),
  };
});
