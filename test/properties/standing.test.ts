/** What a standing approval covers, against a plain reading of its rules. */
import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ArgumentRule,
  commonRules,
  covers,
  definePolicy,
  ruleProblem,
  type StandingApproval,
  type StandingCall,
} from "../../src/core/index.ts";

const { lattice } = definePolicy({});
const LABEL = { level: "public", categories: [], trust: "trusted" } as const;
type Arguments = Readonly<Record<string, unknown>>;

const APPROVAL: StandingApproval = {
  id: "stand_1",
  tool: "pay",
  declaration: "d",
  definition: null,
  rules: {},
  given: {},
  scope: "session",
  session: "s",
  principal: "ada",
  role: null,
  causes: ["always"],
  ceiling: LABEL,
  at: "2026-01-01T00:00:00.000Z",
  expires: "2026-01-02T00:00:00.000Z",
  count: 1,
  by: "bo",
};
const CALL: StandingCall = {
  tool: "pay",
  declaration: "d",
  definition: null,
  session: "s",
  principal: "ada",
  role: null,
  causes: ["always"],
  at: APPROVAL.at,
  label: LABEL,
  arguments: {},
};

const coversArguments = (rules: Readonly<Record<string, ArgumentRule>>, given: Arguments, args: Arguments) =>
  covers(lattice, { ...APPROVAL, rules, given }, 0, { ...CALL, arguments: args });

/** Keys in one order: with it, JSON values are the same exactly where their texts are. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

const anyValue = fc.oneof(
  fc.constantFrom<unknown>(0, 1, 5, -1, "5", "a", "", true, null, [], [1, 2], [2, 1], {}),
  fc.constantFrom<unknown>({ a: 1, b: 2 }, { b: 2, a: 1 }, { a: { b: [1] } }, { a: 1 }, { a: null }, ["1"]),
  fc.jsonValue({ maxDepth: 2 }),
);
const anyKey = fc.constantFrom("a", "b", "to", "constructor", "toString", "hasOwnProperty", "length");
const anyArguments = fc.dictionary(anyKey, anyValue, { maxKeys: 4 });
const anyRule: fc.Arbitrary<ArgumentRule> = fc.oneof(
  anyValue.map((equals) => ({ equals })),
  fc.array(anyValue, { maxLength: 3 }).map((oneOf) => ({ oneOf })),
  fc.constantFrom(0, 5, -1, 0.5).map((atMost) => ({ atMost })),
  fc.constant({ anything: true } as const),
);

function plainlyMeets(rule: ArgumentRule, value: unknown, given: unknown): boolean {
  if ("equals" in rule) return textOf(rule.equals) === textOf(value);
  if ("oneOf" in rule) return rule.oneOf.map(textOf).includes(textOf(value));
  if ("atMost" in rule) {
    const least = typeof given === "number" && given < 0 ? given : 0;
    return typeof value === "number" && value >= least && value <= rule.atMost;
  }
  return "anything" in rule;
}

function plainlyCovers(rules: Readonly<Record<string, ArgumentRule>>, given: Arguments, args: Arguments) {
  const names = new Set([...Object.keys(rules), ...Object.keys(given), ...Object.keys(args)]);
  return [...names].every((name) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!Object.hasOwn(args, name)) return rule !== undefined && "anything" in rule;
    const was = Object.hasOwn(given, name) ? given[name] : undefined;
    if (rule !== undefined) return plainlyMeets(rule, args[name], was);
    return Object.hasOwn(given, name) && textOf(given[name]) === textOf(args[name]);
  });
}

/** What programs make of a path or an address before they use it. */
const READINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll("\\", "/"),
  (text) => text.normalize("NFKC"),
  (text) => text.replaceAll(/;[^/]*/g, ""),
  (text) => decode(text),
  (text) => decode(decode(text)),
  (text) => decode(text).replaceAll("\\", "/"),
  (text) => decode(decode(text)).replaceAll("\\", "/"),
  (text) => decode(text).replaceAll(/;[^/]*/g, ""),
  (text) => text.replaceAll(/[\t\r\n]/g, "").trim(),
  (text) => decode(text).normalize("NFKC").replaceAll("\\", "/"),
  (text) => decode(decode(text).normalize("NFKC")).normalize("NFKC").replaceAll("\\", "/"),
  (text) => decode(text).replaceAll(/\s+(?=\/|$)/g, ""),
  (text) => decode(text).replaceAll(/[\p{Cc}\p{Cf}]/gu, ""),
];

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isInFolder = (folder: string, path: string): boolean => {
  const [outer, inner] = [posix.normalize(folder).replace(/\/$/, ""), posix.normalize(path)];
  return inner === outer || inner === `${outer}/` || inner.startsWith(`${outer}/`);
};

const anyPiece = fc.constantFrom(
  ...[
    "a",
    "b",
    "bc",
    "c",
    ".",
    "..",
    "...",
    "",
    "%2e",
    "%2E%2e",
    ".%2e",
    "%252e%252e",
    "..%2f..",
    "%5c",
    "..;",
  ],
  ...[
    "..;x=1",
    ".;",
    "\\",
    "..\\..",
    "a\\..",
    "．．",
    "‥",
    "..／..",
    "／",
    "∕",
    " ",
    "..\t",
    "\u200b",
    "a b",
    "A",
  ],
  ...[
    "..%00",
    "%00",
    "a%2fb",
    "a%252fb",
    "..%252f..",
    "..%255c..",
    "%c0%ae%c0%ae",
    "~",
    "a:b",
    "x@y",
    "*",
    "%3b",
  ],
  ...["..%3b", "%25", "%2", "%", ".%252%65", ".%25%32e", "..%25%32fa", "..%ef%bc%8fa", "%ef%bc%8e.", "％2e."],
  ...["..%20", "..%09", ".%e2%80%8b.", "%20", "a%20b", "%c3%bc"],
);
const anyTail = fc.array(anyPiece, { maxLength: 5 }).map((pieces) => pieces.join("/"));

describe("a standing approval covers", () => {
  it("what a plain reading of its rules says, whatever the arguments and their names are (X19)", () => {
    fc.assert(
      fc.property(
        fc.dictionary(anyKey, anyRule, { maxKeys: 3 }),
        anyArguments,
        anyArguments,
        (rules, given, args) => {
          expect(coversArguments(rules, given, args)).toBe(plainlyCovers(rules, given, args));
        },
      ),
    );
  });

  it("no path that any program may read as one outside of the folder (X19)", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("/a/b", "a/b", "/a/b/", "a", "/a"),
        anyTail,
        fc.constantFrom("/", ""),
        (folder, tail, sep) => {
          const path = `${folder}${sep}${tail}`;
          if (!coversArguments({ to: { prefix: folder } }, {}, { to: path })) return;
          for (const read of READINGS) expect([path, isInFolder(folder, read(path))]).toEqual([path, true]);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it("no address that any program may read as one elsewhere (X19)", () => {
    const anyRoot = fc.constantFrom(
      ...["https://api.example", "HTTPS://API.example", "https://api.example.", "https://api.example:443"],
      ...[
        "https://api.example:8443",
        "http://api.example",
        "https://user@api.example",
        "https://api.example@evil.example",
      ],
      ...["https://api.example\\@evil.example", "https:/api.example", "https:api.example", "//api.example"],
      ...[
        "https://api.example.evil.example",
        "https://api.example#",
        "https://api.example?",
        "https://аpi.example",
      ],
      ...["https://api.example%2eevil.example", "https:///api.example", "https://api.example;x"],
    );
    fc.assert(
      fc.property(anyRoot, fc.constantFrom("/v1", "/v1/a", "/v1a", ""), anyTail, (root, path, tail) => {
        const address = `${root}${path}/${tail}`;
        const prefix = "https://api.example/v1";
        if (!coversArguments({ to: { prefix } }, {}, { to: address })) return;
        for (const read of READINGS) {
          const url = new URL(read(address));
          expect([address, url.origin, url.username]).toEqual([address, "https://api.example", ""]);
          expect([address, isInFolder("/v1", url.pathname)]).toEqual([address, true]);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it("no address that leads out once it is decoded twice and normalized, however that is spelled (X19)", () => {
    const dots = [".", "%2e", "%252e", "%25%32e", "%252%65", "%25%32%65", "%%32e", "%%32%65", "%2%65", "．"];
    dots.push("%ef%bc%8e", "%25ef%25bc%258e", "%25%65f%bc%8e", "％2e", "%ef%bc%852e", "%u002e");
    const ends = ["/", "%2f", "%252f", "%25%32f", "%25%32%66", "%2%66", "%%32f", "／", "%ef%bc%8f", "%5c"];
    ends.push("%25%35c", "%%35c", "\\", "∕", "⁄", "%u2215", "%e2%88%96", "%20/", "%e2%80%8b/", "%253bx/");
    const spellings = dots.flatMap((one) => dots.flatMap((two) => ends.map((end) => one + two + end)));
    const isCovered = (folder: string, spelling: string): boolean =>
      coversArguments({ to: { prefix: folder } }, {}, { to: `${folder}/${spelling}admin` });
    for (const folder of ["https://api.example/v1", "docs/drafts"])
      expect(spellings.filter((spelling) => isCovered(folder, spelling))).toEqual([]);
  });

  it.each([
    ["/a/b", "/a/b"],
    ["/a/b/", "/a/b"],
    ["/a/b", "/a/b/c.txt"],
    ["docs", "docs/a-b_c/ü~1 .md".replace(" ", "")],
    ["docs", "docs/100%25.md"],
    ["docs", "docs/a%20b%20.md"],
    ["docs", "docs/日本/%C3%BCber-%E6%97%A5.md"],
    ["docs", "docs/100%.md"],
    ["docs", "docs/**/*.{ts,tsx}"],
    ["docs", "docs/{a,b}.md"],
    ["docs", "docs/[...slug]/.gitignore"],
    ["docs", "docs/...md"],
    ["docs", "docs/a;b.md"],
    ["https://api.example/v1", "HTTPS://API.Example/v1/users?q=a%20b"],
  ])("with the prefix %s also %s (X19)", (prefix, value) => {
    expect(ruleProblem({ prefix }, value)).toBeNull();
  });

  const UNLIKE: readonly [ArgumentRule, unknown][] = [
    [{ prefix: "/a/b" }, "/a/bc"],
    [{ prefix: "/a/b" }, "/a/B"],
    [{ prefix: "/a/b" }, "a/b"],
    [{ prefix: "/a/b" }, ["/a/b"]],
    [{ prefix: "/a/b" }, "//a/b"],
    [{ prefix: "docs" }, ""],
    [{ prefix: "docs" }, `docs/${"a%20/".repeat(2000)}b`],
    ...["{.,x}{.,y}/s", ".{,x}./s", "{,x}../s", "{../s,x}", "{a,../s}", "%7B../s,x}", ".*/s", ".[.]/s"].map(
      (pattern): [ArgumentRule, unknown] => [{ prefix: "docs" }, `docs/${pattern}`],
    ),
    [{ atMost: 10 }, "5"],
    [{ atMost: 10 }, Number.NaN],
    [{ atMost: 10 }, "NaN"],
    [{ atMost: 10 }, 5n],
    [{ atMost: 10 }, Number("1e400")],
    [{ atMost: 10 }, Number("-1e400")],
    [{ atMost: 10 }, null],
    [{ atMost: 10 }, undefined],
    [{ equals: { a: 1 } }, new Date(0)],
    [{ equals: [] }, {}],
    [{ oneOf: [{ a: 1, b: [1, 2] }] }, { a: 1, b: [2, 1] }],
    [{ equals: null }, undefined],
    [{ equals: {} }, JSON.parse('{"__proto__":{"a":1}}')],
  ];

  it("nothing that only looks like what a rule names (X19)", () => {
    expect(UNLIKE.filter(([rule, value]) => coversArguments({ to: rule }, {}, { to: value }))).toEqual([]);
  });

  it("nothing by a name that only a prototype has, and -0 as 0 (X19)", () => {
    const odd: Arguments = JSON.parse('{"__proto__":1}');
    expect(coversArguments({}, {}, odd)).toBe(false);
    expect(coversArguments({}, odd, odd)).toBe(true);
    expect(coversArguments({}, {}, { constructor: Object })).toBe(false);
    expect(coversArguments({ to: { atMost: 0 } }, {}, { to: -0 })).toBe(true);
    expect(coversArguments({ to: { equals: 1 } }, { to: 1 }, {})).toBe(false);
    expect(coversArguments({}, { to: 1 }, { to: undefined })).toBe(false);
  });

  it("only what it waives, as often and as long as it says (X19)", () => {
    const call = (approval: Partial<StandingApproval>, more: Partial<StandingCall>, used = 0) =>
      covers(lattice, { ...APPROVAL, ...approval }, used, { ...CALL, ...more });
    expect(call({}, {})).toBe(true);
    expect(call({}, {}, 1)).toBe(false);
    expect(call({}, { at: APPROVAL.expires })).toBe(false);
    expect(call({}, { causes: [] })).toBe(false);
    expect(call({}, { causes: ["always", "release"] })).toBe(false);
    for (const cause of ["unclassified", "condition-unclear", "outside-workspace", "ignored-path"])
      expect([cause, call({ causes: ["always", cause] }, { causes: ["always", cause] })]).toEqual([
        cause,
        false,
      ]);
    expect(call({ scope: "role" }, {})).toBe(false);
  });
});

describe("what three calls have in common", () => {
  const anyText = fc.oneof(
    fc
      .array(fc.constantFrom("docs", "a", "b", "home", "ada", "..", "%2f", "b c", ""), { maxLength: 4 })
      .map((parts) => parts.join("/")),
    fc.constantFrom("/home/ada/a", "/home/ada/b/c", "/home/bo", "/", "ann@example.org"),
    fc.constantFrom(
      "https://a.example/v1/x",
      "https://A.example/v1/y?z=1",
      "http://a.example",
      "https://a.example:81/v1",
    ),
  );
  const anyThree = fc.oneof(
    fc.tuple(anyText, anyText, anyText),
    fc.tuple(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()),
    fc.tuple(anyValue, anyValue, anyValue),
  );
  const foldersOf = (text: unknown): readonly string[] => {
    if (typeof text !== "string") return [];
    const parts = text.replace(/[?#].*$/, "").split("/");
    return parts.map((_, at) =>
      parts
        .slice(0, at + 1)
        .join("/")
        .toLowerCase(),
    );
  };

  it("covers each of them, and nothing but what they name, a smaller number, and what lies where all of them lie (X19)", () => {
    fc.assert(
      fc.property(anyThree, fc.oneof(anyText, anyValue, fc.integer()), (three, other) => {
        const { to: rule } = commonRules(three.map((to) => ({ to })));
        if (rule === undefined) throw new Error("It has a rule for each argument.");
        expect("anything" in rule).toBe(false);
        const isCovered = (value: unknown): boolean =>
          coversArguments({ to: rule }, { to: three[0] }, { to: value });
        expect(three.map(isCovered)).toEqual([true, true, true]);
        if (!isCovered(other) || three.some((one) => textOf(one) === textOf(other))) return;
        if (typeof other === "number") expect(other).toBeLessThanOrEqual(Math.max(...three.map(Number)));
        else {
          const shared = foldersOf(other).filter((folder) =>
            three.every((one) => foldersOf(one).includes(folder)),
          );
          expect(shared.some((folder) => folder !== "" && folder !== "https:" && folder !== "http:")).toBe(
            true,
          );
        }
      }),
    );
  });
});
