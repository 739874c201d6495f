import { describe, expect, it, vi } from "vitest";
import { hasEscapedName, parseJson, replaceJsonParse } from "./parse-json.ts";

describe("the names of members", () => {
  it.each([
    ["caf\\u00e9", "café"],
    ["a\\u0062", "ab"],
    ["\\u0061", "a"],
    ["to\\n", "to\n"],
    ["to\\/", "to/"],
    ['to\\"', 'to"'],
    ["C:\\\\x", "C:\\x"],
  ])("are read as they are written, whatever was read before: %s (A1)", (written, name) => {
    // The defect needs an object whose names are equal up to there, and this one is as long.
    const first = JSON.stringify(`before ${JSON.stringify(written)}`.replaceAll(/["\\]/g, "_"));
    const before = JSON.parse(`{${first}:0,${JSON.stringify(written.slice(0, name.length))}:0}`);
    const text = `{${first}:0,"${written}" \n :{"x\\n":["${written}"]}}`;
    expect(hasEscapedName(text)).toBe(true);
    expect(Object.keys(parseJson<object>(text))[1]).toBe(name);
    expect(Object.values(parseJson<object>(text))[1]).toEqual({ "x\n": [name] });
    expect(Object.keys(before)).toHaveLength(2);
  });

  it("are kept as own properties, in order, and the last of equal ones counts", () => {
    const value = parseJson<object>('{"__proto__":{"x":1},"b\\u0062":1,"2":0,"a":1,"bb":2}');
    expect(Object.entries(value)).toEqual([
      ["2", 0],
      ["__proto__", { x: 1 }],
      ["bb", 2],
      ["a", 1],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("aren't searched for in values", () => {
    expect(hasEscapedName('{"a":"\\u0062","b":["\\"c\\":"]}')).toBe(false);
    expect(hasEscapedName('["\\\\",{"a":1}]')).toBe(false);
    expect(hasEscapedName('{"x":"no","a":"\\n","b\\n":1}')).toBe(true);
  });
});

it("lets packages read names as they are written, and keeps revivers (A1)", async () => {
  // A server of another test of this process has replaced the global one, whose methods can't be replaced.
  const native = (await fetch("data:,")).constructor as typeof Response;
  vi.stubGlobal("Response", native);
  const { parse } = JSON;
  const { json } = native.prototype;
  try {
    replaceJsonParse();
    const text = '{"caf\\u00e9":1}';
    expect(await new Response(text).json()).toEqual({ café: 1 });
    expect(JSON.parse(text)).toEqual({ café: 1 });
    expect(JSON.parse("[1]", (_, value) => (value === 1 ? 2 : value))).toEqual([2]);
  } finally {
    JSON.parse = parse;
    Object.assign(native.prototype, { json });
    vi.unstubAllGlobals();
  }
});

it("reads every other value as JSON.parse does, whatever was read before", () => {
  const random = randomFrom(7);
  for (let at = 0; at < 20_000; at += 1) {
    const value = randomValue(random, 4);
    expect(parseJson(written(value, random))).toEqual(value);
  }
});

it.each(["", "{", '{"a\\u0062":}', '{"a\\n":1}x', "[1,]", '{"\\x":1}'])("refuses %s", (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

it("reads deeply nested lists and objects", () => {
  const depth = 100_000;
  const text = `{"\\n":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  let value: unknown = parseJson<Record<string, unknown>>(text)["\n"];
  for (let level = 1; level < depth; level += 1) value = Array.isArray(value) ? value[0] : null;
  expect(value).toEqual([]);
});

type Random = (below: number) => number;

function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const SIGNS = ["a", "b", "\\", '"', "/", "\n", "é", "☃", "{", "}", "[", "]", ":", ",", " "];
const randomText = (random: Random): string =>
  Array.from({ length: random(4) }, () => SIGNS[random(SIGNS.length)]).join("");

function randomValue(random: Random, depth: number): unknown {
  const kind = random(depth > 0 ? 7 : 5);
  if (kind === 0) return [null, true, false][random(3)];
  if (kind === 1) return random(1000) / 8;
  if (kind < 5) return randomText(random);
  const length = random(4);
  if (kind === 5) return Array.from({ length }, () => randomValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length }, () => [randomText(random), randomValue(random, depth - 1)]),
  );
}

/** JSON with more escapes and white space than needed. */
function written(value: unknown, random: Random): string {
  const space = random(3) === 0 ? "\n " : "";
  if (typeof value === "string") return writtenText(value, random);
  if (Array.isArray(value)) return `[${value.map((each) => space + written(each, random)).join(",")}]`;
  if (typeof value !== "object" || value === null) return space + JSON.stringify(value) + space;
  const members = Object.entries(value).map(
    ([name, each]) => `${writtenText(name, random)}${space}:${written(each, random)}`,
  );
  return `{${members.join(`,${space}`)}}`;
}

const writtenText = (text: string, random: Random): string =>
  `"${[...text]
    .map((sign) => {
      if (random(3) === 0 && sign.length === 1)
        return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
      return sign === "/" && random(2) === 0 ? "\\/" : JSON.stringify(sign).slice(1, -1);
    })
    .join("")}"`;
