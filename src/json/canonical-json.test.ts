import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SluicegateError } from "../errors/index.ts";
import { canonicalForm, canonicalJson } from "./canonical-json.ts";

const fromBits = (bits: string): number => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
};

const nested = (depth: number): unknown => {
  let value: unknown = [];
  for (let level = 1; level < depth; level += 1) {
    value = [value];
  }
  return value;
};

/** A parent with children that know it. */
function family(): unknown {
  const parent: Record<string, unknown> = {};
  Object.assign(parent, { a: { parent, n: 1 }, b: { parent, n: 2 } });
  return parent;
}

const codeOf = (value: unknown): string => {
  try {
    return `accepted as ${canonicalJson(value)}`;
  } catch (error) {
    return SluicegateError.isInstance(error) ? error.code : `threw ${error}`;
  }
};

describe("canonicalJson follows RFC 8785", () => {
  it("writes the sample of section 3.2.2 as the bytes of section 3.2.4", () => {
    const sample: unknown = JSON.parse(
      String.raw`{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
      }`,
    );
    const bytes = `7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e
      75 6d 62 65 72 73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35
      2c 30 2e 30 30 32 2c 31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e
      41 27 42 5c 22 5c 5c 5c 5c 5c 22 2f 22 7d`;
    expect(Buffer.from(canonicalJson(sample)).toString("hex")).toBe(bytes.replaceAll(/\s/g, ""));
  });

  it("sorts the members of section 3.2.3 by UTF-16 code units, an emoji before U+FB33", () => {
    const sample: unknown = JSON.parse(
      String.raw`{
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
      }`,
    );
    expect(canonicalJson(sample).match(/:"(\w+)/g)).toEqual([
      ':"Carriage',
      ':"One',
      ':"Control',
      ':"Latin',
      ':"Euro',
      ':"Emoji',
      ':"Hebrew',
    ]);
  });

  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("writes the number with the bits %s of appendix B as %s", (bits, text) => {
    expect(canonicalJson(fromBits(bits))).toBe(text);
  });
});

describe("canonicalJson refuses what JSON can't carry exactly", () => {
  const cycle: unknown[] = [];
  cycle.push(cycle, cycle);
  it.each<[string, unknown]>([
    ["NaN", fromBits("7fffffffffffffff")],
    ["infinity", fromBits("7ff0000000000000")],
    ["undefined", undefined],
    ["a member that is undefined", { a: undefined }],
    ["a hole in an array", new Array(2)],
    ["a function", () => 1],
    ["a symbol", Symbol("a")],
    ["a bigint", 1n],
    ["a lone surrogate in a string", ["\ud800"]],
    ["a lone surrogate in a name", { "\udc00": 1 }],
    ["an own member named __proto__", JSON.parse('{"__proto__": {}}')],
    ["a member named by a symbol", { [Symbol("a")]: 1 }],
    ["a date", new Date(0)],
    ["a map", new Map([["a", 1]])],
    ["a cycle", cycle],
    ["129 levels", nested(129)],
  ])("refuses %s", (_title, value) => {
    expect(codeOf(value)).toBe("unsupported-value");
  });

  it("accepts 128 levels, names such as constructor, and objects without a prototype", () => {
    expect(canonicalJson(nested(128))).toBe("[".repeat(128) + "]".repeat(128));
    expect(canonicalJson(Object.assign(Object.create(null), { constructor: 1, b: [] }))).toBe(
      '{"b":[],"constructor":1}',
    );
  });

  it("never tells a value in its refusal", () => {
    expect(() => canonicalJson({ secret: ["hunter2\ud800"] })).toThrow(
      expect.not.objectContaining({ why: expect.stringMatching(/hunter2|secret/) }),
    );
  });
});

describe("canonicalForm", () => {
  const names = fc.constantFrom(
    "a",
    "b",
    "1",
    "10",
    "9",
    "0x",
    "toJSON",
    "\\ud800",
    "\u00e9",
    "\ud83d\ude00",
  );
  const jsonValues = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("__proto__"));
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      jsonValues,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: "binary" }),
      fc.array(tie("value")),
      fc.dictionary(names, tie("value")),
    ),
  })).value;

  it("is what the canonical text says, with that text", () => {
    fc.assert(
      fc.property(values, (value) => {
        const form = canonicalForm(value);
        expect(form.text).toBe(canonicalJson(value));
        expect(form.value).toEqual(JSON.parse(form.text));
      }),
    );
    expect(Object.is(canonicalForm(-0).value, 0)).toBe(true);
    const { value, text } = canonicalForm({ b: 1, a: 2, 10: 0, 9: 0 });
    expect(Object.keys(value as object)).toEqual(["9", "10", "a", "b"]);
    expect(text).toBe('{"10":0,"9":0,"a":2,"b":1}');
  });

  it("doesn't change with the value, whatever its members answer", () => {
    let count = 0;
    const live = {
      get a() {
        count += 1;
        return { count };
      },
    };
    expect(canonicalForm(live)).toEqual({ value: { a: { count: 1 } }, text: '{"a":{"count":1}}' });
  });

  it("has the value's own text where the host has given all lists another one", () => {
    Object.defineProperty(Array.prototype, "toJSON", { configurable: true, value: () => "other" });
    try {
      expect(canonicalForm({ a: [1] }).text).toBe('{"a":[1]}');
    } finally {
      Reflect.deleteProperty(Array.prototype, "toJSON");
    }
  });

  it.each<[string, unknown]>([
    ["a date", { a: new Date(0) }],
    ["a member of its prototype's name", JSON.parse('{ "__proto__": 1 }')],
    ["a symbol's member", { [Symbol("a")]: 1 }],
    ["a hole", new Array(1)],
    ["undefined", { a: undefined }],
    ["a number without an end", { a: Number.POSITIVE_INFINITY }],
    ["a circle", nested(1_000)],
    ["half of a pair", ["\ud800"]],
    ["half of a pair in a name", { "\udc00": 1 }],
    ["a tree whose branches lead to it", family()],
  ])("refuses %s", (_, value) => {
    expect(() => canonicalForm(value)).toThrow("can't be written as JSON");
  });
});
