import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonScanner } from "./json-scanner.ts";

function scan(json: string, size = json.length): string | number | null {
  const scanner = new JsonScanner();
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
  return scanner.id;
}

describe("the id of a message that is too large", () => {
  it.each([
    ["at the beginning", '{"jsonrpc":"2.0","id":7,"result":{}}', 7],
    ["at the end", '{"result":{},"id":"a\\"b"}', 'a"b'],
    ["between spaces", ' { "result" : [ 1 ] , "id" : 12 } ', 12],
    ["not from within the result", '{"result":{"id":1,"a":[{"id":2}]},"id":3}', 3],
    ["not from within a string", '{"result":"\\",\\"id\\":1,{[","id":3}', 3],
    ["the first of two", '{"id":1,"id":2}', 1],
    ["not a list", '{"id":[7]}', null],
    ["not an object", '{"id":{"id":7}}', null],
    ["not null", '{"id":null}', null],
    ["not of a message that breaks off", '{"result":{},"id":3', null],
    ["not of what is no message", '["id",3]', null],
  ])("is found %s", (_, json, id) => {
    expect(scan(json)).toBe(id);
    expect(scan(json, 1)).toBe(id);
  });

  it("is found in every message, wherever its chunks are cut", () => {
    const id = fc.oneof(fc.integer(), fc.string({ unit: "grapheme-ascii", maxLength: 20 }));
    const message = fc.record({ id, result: fc.jsonValue(), "i\\d": fc.jsonValue() });
    fc.assert(
      fc.property(message, fc.integer({ min: 1, max: 20 }), (value, size) => {
        expect(scan(JSON.stringify(value), size)).toBe(value.id);
      }),
    );
  });
});

const valuesIn = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 1)
    : 1;

it("counts each value of a JSON text at least once and at most twice, wherever the chunks are cut", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.nat(20)), (value, cuts) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const scanner = new JsonScanner();
      let at = 0;
      for (const length of cuts) {
        scanner.push(bytes.subarray(at, at + length));
        at += length;
      }
      scanner.push(bytes.subarray(at));
      expect(scanner.values).toBeGreaterThanOrEqual(valuesIn(value) - 1);
      expect(scanner.values).toBeLessThanOrEqual(2 * valuesIn(value));
    }),
  );
});

const valuesOf = (json: string, size: number, maxValues = 100_000): number => {
  const scanner = new JsonScanner(maxValues);
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
  return scanner.values;
};

it.each([
  1, 3, 64, 1_000_000,
])("counts the different names behind many values as twelve values each, in pieces of %i bytes", (size) => {
  const values = `[${"1,".repeat(20_000)}1]`;
  const members = Array.from({ length: 500 }, (_, at) => `"${"n".repeat(at % 3)}k\\"${at % 300}" : "v${at}"`);
  const behind = `{"result":{"first":${values},${members.join()}}}`;
  expect(valuesOf(behind, size)).toBe(20_503 + 12 * 300);
  expect(valuesOf(`{"result":{${members.join()}}}`, size)).toBe(501);
  expect(valuesOf(behind, size, 21_000)).toBeLessThan(20_503 + 12 * 120);
});

it("has no bound for values that a name of more than 16,000 characters is within, in pieces of any size", () => {
  for (const size of [1000, 7777, 100_000]) {
    expect(valuesOf(`{"a":"${"x".repeat(50_000)}","${"y".repeat(16_000)}":1}`, size)).toBe(2);
    expect(valuesOf(`{"${"y".repeat(16_001)}" :1}`, size)).toBe(Number.POSITIVE_INFINITY);
  }
});

it("counts nothing within a text", () => {
  const scanner = new JsonScanner();
  scanner.push(Buffer.from(JSON.stringify(String.raw`[{,"\,\\",[{`.repeat(100))));
  expect(scanner.values).toBe(0);
});

it.each([
  '": a comment',
  '"\\',
  '"\\\\"\\',
])("counts values behind a line of no message that ends with %j", (line) => {
  for (const end of ["\n", "\r"]) {
    for (const size of [1, 3, 1000]) {
      const scanner = new JsonScanner();
      const bytes = Buffer.from(`:${line}${end}data: {"a":[${"1,".repeat(99)}1]}\n\n`);
      for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
      expect(scanner.values).toBeGreaterThanOrEqual(100);
    }
  }
});
