import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseKeepingDigits } from "./parse-keeping-digits.ts";

describe("a text of JSON with numbers that none of ours holds", () => {
  it.each<[string, unknown]>([
    ["12345678901234567890", "12345678901234567890"],
    [
      "[-12345678901234567890,9007199254740991,9007199254740993]",
      ["-12345678901234567890", 9007199254740991, "9007199254740993"],
    ],
    ['{"a":1e400,"b":-2E+999,"c":[1e4],"d":1.5}', { a: "1e400", b: "-2E+999", c: [10_000], d: 1.5 }],
    [
      '{"12345678901234567890":"x\\\\\\" 12345678901234567890","n":12345678901234567890}',
      { "12345678901234567890": 'x\\" 12345678901234567890', n: "12345678901234567890" },
    ],
    ["[0.50000000000000000000,-0,1E-400,true]", [0.5, -0, 0, true]],
  ])("keeps their digits: %s", (text, value) => {
    expect(parseKeepingDigits(text)).toEqual(value);
  });

  it.each([
    "[01234567890123456789]",
    "{12345678901234567890:1}",
    '["12345678901234567890',
    "1-2345678901234567890",
  ])("stays wrong where it is wrong: %s", (text) => {
    expect(() => parseKeepingDigits(text)).toThrow(SyntaxError);
  });

  it("is otherwise what the language makes of it", () => {
    const large = "12345678901234567890";
    fc.assert(
      fc.property(fc.json(), (text) => {
        const plain: unknown = JSON.parse(text, (_, value: unknown, context?: { source?: string }) =>
          typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
            ? context?.source
            : value,
        );
        expect(parseKeepingDigits(`[${large},${text}]`)).toEqual([large, plain]);
      }),
    );
  });

  it("is read in time, however many there are", () => {
    const numbers = Array.from({ length: 190_000 }, (_, index) => `9${String(index).padStart(18, "0")}`);
    const rows = `[${numbers.map((number) => `{"a":${number}}`).join()}]`;
    const wide = `{${numbers.map((number) => `"${number}":${number}`).join()}}`;
    // Its own time, however busy the machine is.
    const begun = process.cpuUsage();
    expect(Object.values(parseKeepingDigits(`[${numbers.join()}]`) as object)).toEqual(numbers);
    expect((parseKeepingDigits(rows) as unknown[]).at(-1)).toEqual({ a: numbers.at(-1) });
    expect(Object.keys(parseKeepingDigits(wide) as object)).toEqual(numbers);
    expect(process.cpuUsage(begun).user).toBeLessThan(5_000_000);
  });
});
