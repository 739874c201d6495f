/** What is written into an env file, held against the parser of Node. */
import { parseEnv } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { canCarry, type Entry, foundNames, withEntries } from "./env-text.ts";

const entry = (name: string, value: string | null, about = "", standIn = ""): Entry => ({
  name,
  value,
  standIn,
  about,
});

const PARTS = [
  "\n",
  "'",
  '"',
  "`",
  "#",
  "$",
  "\\",
  "\\n",
  "\r",
  " ",
  "=",
  `\${A}`,
  "é😀",
  "\u2028",
  "export ",
  "\ud800",
];
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PARTS) },
  fc.string({ unit: "binary", maxLength: 4 }),
);
const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
const name = fc.constantFrom("A", "AB", "TOKEN", "X_1", "constructor", "toString");

it("gives back every value that it says it can carry, whatever stands around it (X13)", () => {
  const entries = fc.uniqueArray(fc.tuple(name, text, text), { selector: ([key]) => key, maxLength: 6 });
  fc.assert(
    fc.property(entries, (list) => {
      const carried = list.filter(([, value]) => canCarry(value));
      const written = withEntries(
        "",
        carried.map(([key, value, about]) => entry(key, value, about)),
        false,
      );
      expect({ ...parseEnv(written) }).toEqual(Object.fromEntries(carried));
      // It is the bytes that are read back.
      expect(Buffer.from(written).toString()).toBe(written);
    }),
    { numRuns: 2000 },
  );
});

it("carries what people have: all but a carriage return, a lone surrogate, and what no quotation mark can hold", () => {
  const secrets = [
    "",
    "a",
    "a b",
    " a ",
    "#a",
    "a#b",
    "it's",
    'say "x"',
    "`x`",
    "a\nb\n",
    "\\",
    "\\n",
    "$A",
    `\${A}`,
    "é😀",
    `'"`,
    "a=b",
    "'a'",
    `a'"\`b`,
  ];
  expect(secrets.filter((value) => !canCarry(value))).toEqual([]);
  expect(["a\rb", "\ud800", `'"\`\n`, `'"\`#`].filter(canCarry)).toEqual([]);
});

it("leaves what is there as it is, byte for byte", () => {
  const lines = fc.array(
    fc.oneof(
      fc.tuple(name, text).map(([key, value]) => `${key}=${value}`),
      text,
    ),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(lines, name, text, fc.boolean(), (before, key, value, replace) => {
      fc.pre(canCarry(value));
      const start = before.join("\n");
      const had: Record<string, string | undefined> = { ...parseEnv(start) };
      let written: string;
      try {
        written = withEntries(start, [entry(key, value)], replace);
      } catch {
        // An open quotation mark at its end: nothing is written.
        return;
      }
      const has: Record<string, string | undefined> = { ...parseEnv(written) };
      const stays = Object.hasOwn(had, key) && had[key] !== "" && !replace;
      expect(has).toEqual({ ...had, [key]: stays ? had[key] : value });
      if (!Object.hasOwn(had, key) || stays) expect(written.startsWith(start)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

it("replaces a value where that is wanted, and keeps the comments and values around it", () => {
  const before = "# mine\nA=1\nB='x\ny' # old\n# more\nC=3";
  expect(withEntries(before, [entry("B", "new", "b"), entry("A", null, "a")], true)).toBe(
    "# mine\nA=1\n# more\nC=3\n# Found: b\nB=new\n",
  );
  expect(withEntries(before, [entry("B", "new", "b")], false)).toBe(before);
});

it("leaves a place for what nobody knows, and fills one that is empty", () => {
  const first = withEntries(
    "",
    [entry("KEY", null, "`it's`\nEVIL=1"), entry("URL", null, "u", "https://x")],
    false,
  );
  expect(first).toBe("# Fill in: its\\u{a}EVIL=1\nKEY=\n# Fill in: u\nURL=https://x\n");
  expect(withEntries(first, [entry("KEY", "k", "key"), entry("URL", null)], false)).toBe(
    "# Fill in: u\nURL=https://x\n# Found: key\nKEY=k\n",
  );
});

it("adds nothing to a file in which it would be read as something else, or that would grow too long", () => {
  const open = `A='it\nB="x\nC=\`y`;
  expect(parseEnv(withEntries(open, [entry("D", "plain")], false))).toMatchObject({ D: "plain" });
  expect(() => withEntries(open, [entry("D", "a 'b' \"c\"")], false)).toThrow("can't be added");
  expect(() => withEntries("#".repeat(1024 * 1024 - 10), [entry("D", "x".repeat(20))], false)).toThrow(
    "can't be added",
  );
});

it("tells what it found from what a person wrote", () => {
  const first = withEntries("# mine\nA=1\n", [entry("B", "2"), entry("C", null)], false);
  expect([...foundNames(first)]).toEqual(["B"]);
  expect([...foundNames(withEntries(first, [entry("C", "3"), entry("B", "4")], true))]).toEqual(["C", "B"]);
});
