/** Rules as properties: nothing that a call's arguments may hold slips past one, and none makes a decision laxer. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apply, decide, type Effect, initialState } from "../../src/core/index.ts";
import { parseConfig } from "../../src/policy-file/index.ts";
import { anyCases, anyRules, CASES, compact, MEETS_RARE, oneOf, toPolicy } from "./generators.ts";

type Args = Readonly<Record<string, unknown>>;

const KEYS = ["amount", "to", "kind", "limit", "pay", "__proto__"] as const;
const isRecord = (value: unknown): value is Args =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const own = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
const isAtMost = (value: unknown, most: number): boolean => typeof value === "number" && value <= most;

/** What a rule denies, the only arguments that it lets pass, and some of them, which are seldom drawn. */
const RULES: readonly (readonly [when: string, passes: (args: Args) => boolean, passing: Args])[] = [
  ["args.amount > 10000", (args) => isAtMost(own(args, "amount"), 10_000), { amount: 5 }],
  ["!(args.amount <= 10000)", (args) => isAtMost(own(args, "amount"), 10_000), { amount: -1e308 }],
  [
    "has(args.limit) && args.limit > 100",
    (args) => !Object.hasOwn(args, "limit") || isAtMost(args.limit, 100),
    {},
  ],
  [
    'args.pay.amount > 10000 || args.pay.to != "acme"',
    ({ pay }) => isAtMost(own(pay, "amount"), 10_000) && own(pay, "to") === "acme",
    { pay: { amount: 10_000, to: "acme", kind: [] } },
  ],
  ['!(args.kind in ["a", "acme"])', ({ kind }) => kind === "a" || kind === "acme", { kind: "acme" }],
  [
    'args.to.exists(to, to != "acme")',
    ({ to }) => Array.isArray(to) && to.every((one) => one === "acme"),
    { to: ["acme", "acme"] },
  ],
  [
    "!args.pay.to.all(one, one.amount < 10)",
    ({ pay }) => {
      const to = own(pay, "to");
      return Array.isArray(to) && to.every((one) => isAtMost(own(one, "amount"), 9.9));
    },
    { pay: { to: [{ amount: 5 }, { amount: 9.5, to: null }] } },
  ],
];

const anyLeaf = fc.oneof(
  oneOf<unknown>(0, 5, 9.5, 100, 101, 10_000, 10_000.5, 1e100, -1e308, 5e-324),
  oneOf<unknown>("", "5", "10001", "1e100", "acme", "ACME", "a", true, false, null),
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    { weight: 5, arbitrary: anyLeaf },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(oneOf(...KEYS, "acme"), tie("value"), { maxKeys: 3 }) },
  ),
}));
const anyArgs = fc.dictionary(oneOf(...KEYS), anyValue, { maxKeys: 4 }) as fc.Arbitrary<Args>;

describe("a rule on arguments", () => {
  it.each(
    RULES,
  )("that denies %s lets no other arguments pass, whatever their types (X3-rules)", async (when, passes, passing) => {
    const text = `version: 1
tools: { pay: { permissions: [write] }, look: { permissions: [read] } }
rules: [{ name: r, effect: deny, when: ${JSON.stringify(`tool.name == "pay" && (${when})`)} }]
`;
    const { policy } = await parseConfig(text, { file: "p.yaml", environment: {} });
    const state = initialState(policy.lattice);
    const effectOf = (tool: string, args: Args): Effect =>
      decide(policy, state, { tool, arguments: args }).effect;
    const met = { allow: 0, ask: 0, deny: 0 };
    const check = (args: Args): void => {
      const effect = effectOf("pay", args);
      met[effect] += 1;
      expect([effect, args]).toEqual([passes(args) ? "allow" : "deny", args]);
      expect(effectOf("look", args)).toBe("allow");
    };
    const anyOther = fc.oneof(
      anyArgs,
      anyArgs.map((args) => ({ ...args, ...passing })),
    );
    fc.assert(fc.property(anyOther, check), { numRuns: 500 });
    expect(Math.min(met.allow, met.deny)).toBeGreaterThan(20);
  });
});

const SEVERITY: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

describe("rules", () => {
  it("never make a decision laxer (X3-rules, law-4)", () => {
    let stricter = 0;
    const property = fc.property(anyCases(20), anyRules, ({ world, cases }, more = []) => {
      const { rules = [], ...declaration } = world.declaration;
      const withRules = (...all: typeof more) =>
        toPolicy({ ...world, declaration: compact({ ...declaration, rules: all }) });
      const policies = [withRules(), withRules(...rules), withRules(...rules, ...more)];
      for (const { events, tool, arguments: args, facts } of cases) {
        const [none = 0, some = 0, all = 0] = policies.map((policy) => {
          const state = events.reduce(
            (sofar, event) => apply(sofar, event, ""),
            initialState(policy.lattice),
          );
          return SEVERITY[decide(policy, state, { tool, ...(args && { arguments: args }) }, facts).effect];
        });
        expect(some).toBeGreaterThanOrEqual(none);
        expect(all).toBeGreaterThanOrEqual(some);
        if (all > none) stricter += 1;
      }
    });
    fc.assert(property, { numRuns: Math.min(2000, Math.ceil(CASES / 10)) });
    if (MEETS_RARE) expect(stricter).toBeGreaterThan(0);
  });
});
