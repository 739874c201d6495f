import fc from "fast-check";
import { expect, it } from "vitest";
import { createLineReader } from "./line-reader.ts";

/** What a reader makes of chunks: lines, and the lengths of the lines that were too long. */
function read(
  chunks: readonly Buffer[],
  longest: number,
  mostValues = Number.POSITIVE_INFINITY,
): (string | number)[] {
  const seen: (string | number)[] = [];
  let excess = 0;
  const push = createLineReader(
    longest,
    {
      line: (bytes) => seen.push(bytes.toString("latin1")),
      excess: (bytes) => {
        excess += bytes.length;
      },
      excessEnd: () => {
        seen.push(excess);
        excess = 0;
      },
    },
    mostValues,
  );
  for (const chunk of chunks) push(chunk);
  return seen;
}

it("finds the same lines wherever the chunks are cut, and keeps none that is too long", () => {
  const text = fc.array(fc.string({ maxLength: 12, unit: fc.constantFrom("a", "é", "\n") }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(text, fc.nat(6), (parts, longest) => {
      const chunks = parts.map((part) => Buffer.from(part, "latin1"));
      const lines = parts.join("").split("\n").slice(0, -1);
      const expected = lines
        .filter((line) => line !== "")
        .map((line) => (line.length > longest ? line.length : line));
      expect(read(chunks, longest)).toEqual(expected);
    }),
  );
});

it("keeps no line that has too many values of JSON, and the next one again", () => {
  const chunks = ["[1,2", ',3,4]\n["[[[[,,,,"]\n', "[[],[],[],[]]\n[1,2,3]\n"].map((part) =>
    Buffer.from(part),
  );
  expect(read(chunks, 1000, 3)).toEqual([9, '["[[[[,,,,"]', 13, "[1,2,3]"]);
});

it("keeps no line with too many different names behind its many values", () => {
  const values = `"v":[${"1,".repeat(10_000)}1]`;
  const few = `{${values},"a":1,"b":1,"a":1}`;
  const chunk = Buffer.from(`{${values},"a":1,"b":1,"c":1}\n${few}\n`);
  expect(read([chunk], 100_000, 10_000 + 2 * 12 + 7)).toEqual([few.length, few]);
});
