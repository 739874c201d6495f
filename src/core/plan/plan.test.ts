import { describe, expect, it } from "vitest";
import { decide } from "../decision/decide.ts";
import type { Facts } from "../decision/decision-context.ts";
import { createLabel } from "../label/label.ts";
import { definePolicy, type Policy, type PolicyDeclaration, withOffered } from "../policy/policy.ts";
import { apply, initialState, type SessionState } from "../state/state.ts";
import type { ToolDeclaration } from "../tools/tool.ts";
import type { Meter } from "./meter.ts";
import { checkPlan } from "./plan.ts";
import type { PlannedCall } from "./planned-call.ts";

const OFFICE: PolicyDeclaration = {
  tools: {
    search_email: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
    search_docs: { permissions: ["read"], source: { level: "internal" } },
    web_search: { permissions: ["connect"], source: { trust: "untrusted" }, sink: [{ level: "public" }] },
    slack_post: { permissions: ["connect"] },
    github_create_pr: { permissions: ["write", "connect"], sink: [{ level: "internal" }] },
    read_vault: { permissions: ["read"], source: { level: "secret" } },
    partner_post: {
      permissions: ["connect"],
      sink: [{ level: "internal", trust: "trusted" }, { level: "public" }],
    },
    swap: { permissions: ["connect"], source: { level: "internal" } },
    pay: { permissions: ["write"], approval: "always" },
    note: { permissions: [] },
  },
  roles: { reader: { tools: ["search_email", "note"], permissions: ["read"] } },
};

const policy = definePolicy(OFFICE);

const MAIL = createLabel("internal", [], "untrusted");

const session = (parts: Partial<SessionState> = {}): SessionState => ({
  ...initialState(policy.lattice),
  ...parts,
});

const check = (
  calls: readonly PlannedCall[],
  state: Partial<SessionState> = {},
  facts: Facts = {},
  by: Policy = policy,
) => checkPlan(by, session(state), calls, facts);

const codesAt = (calls: readonly PlannedCall[], state: Partial<SessionState> = {}, facts: Facts = {}) =>
  check(calls, state, facts).violations.map(({ atStep, code }) => [atStep, code]);

describe("a plan", () => {
  it("is answered as the seed answers its example (C4)", () => {
    expect(check(["search_email", "web_search", "github_create_pr"])).toEqual({
      valid: false,
      violations: [
        {
          atStep: 1,
          tool: "web_search",
          code: "flow-blocked",
          reason: "`web_search` is blocked after `search_email` (step 0) loads internal data",
          suggestion: "move `web_search` before `search_email`",
        },
      ],
      safeOrdering: ["web_search", "search_email", "github_create_pr"],
      questions: 0,
      approvals: [],
      inTheWay: [],
      waysOut: [],
      steps: [
        { atStep: 0, tool: "search_email", effect: "allow", raises: MAIL, label: MAIL },
        { atStep: 1, tool: "web_search", effect: "deny", raises: null, label: MAIL },
        { atStep: 2, tool: "github_create_pr", effect: "allow", raises: null, label: MAIL },
      ],
    });
  });

  it("that is safe is valid and keeps its order (C4)", () => {
    const calls = ["note", "web_search", "search_email", "github_create_pr", "search_docs"];
    expect(check(calls)).toEqual({
      valid: true,
      violations: [],
      safeOrdering: calls,
      questions: 0,
      approvals: [],
      inTheWay: [],
      waysOut: [],
      steps: calls.map((tool, atStep) => expect.objectContaining({ atStep, tool, effect: "allow" })),
    });
  });

  it("of nothing is valid", () => {
    expect(check([])).toMatchObject({ valid: true, violations: [], safeOrdering: [] });
  });

  it("may name tools in any way, and is answered in its own words (C4)", () => {
    const mail = definePolicy({
      servers: {
        mail: { tools: { read: { permissions: ["read"], source: { level: "internal" } } } },
        web: { tools: { get: { permissions: ["connect"] } } },
      },
    });
    expect(check(["mcp__mail__read", "web__get"], {}, {}, mail)).toMatchObject({
      violations: [{ atStep: 1, tool: "web__get" }],
      safeOrdering: ["web__get", "mcp__mail__read"],
    });
  });

  it("has a step that is refused raise nothing for those after it (C4)", () => {
    const mail = definePolicy({
      tools: {
        vault: { permissions: ["read", "connect"], source: { level: "secret" } },
        mail: { permissions: ["read"], source: { level: "internal" } },
        pr: { permissions: ["connect"], sink: [{ level: "internal" }] },
      },
    });
    const { violations, steps } = check(["mail", "vault", "pr"], {}, {}, mail);
    expect(violations.map(({ atStep }) => atStep)).toEqual([1]);
    expect(steps.map(({ raises }) => raises?.level)).toEqual(["internal", undefined, undefined]);
    expect(steps.map(({ label }) => label.level)).toEqual(["internal", "internal", "internal"]);
  });

  describe("of a tool whose calls bring in at most what it declares", () => {
    const databases = definePolicy({
      tools: {
        query: { permissions: ["read"], source: { level: "secret" }, sourceBound: "most" },
        web_search: { permissions: ["connect"], sink: [{ level: "public" }] },
        pay: { permissions: ["write"], approval: { when: "args.n > 1", holds: () => true } },
      },
    });
    const checkSteps = (calls: readonly PlannedCall[]) =>
      checkPlan(databases, initialState(databases.lattice), calls);

    it("takes the worst where nothing was found out about the call, and says so (C5, X11-call)", () => {
      const { valid, steps, safeOrdering } = checkSteps(["query", "web_search"]);
      expect({ valid, safeOrdering }).toEqual({ valid: false, safeOrdering: ["web_search", "query"] });
      expect(steps.map(({ dependsOnArguments }) => dependsOnArguments)).toEqual([true, undefined]);
    });

    it("takes what was found out (C5, X11-call)", () => {
      const source = createLabel("public", [], "trusted");
      const calls = [{ tool: "query", arguments: { sql: "SELECT 1" }, source }, "web_search"];
      const { valid, steps } = checkSteps(calls);
      expect(valid).toBe(true);
      expect(steps.map(({ dependsOnArguments }) => dependsOnArguments)).toEqual([undefined, undefined]);
    });

    it("says of a condition without arguments that it is taken at its worst (C5)", () => {
      const { steps } = checkSteps(["pay", { tool: "pay", arguments: {} }]);
      expect(steps.map(({ dependsOnArguments }) => dependsOnArguments)).toEqual([true, undefined]);
    });
  });

  it("tells of each step what it would raise, and of one that brings nothing new in that it raises nothing (C4)", () => {
    const bottom = initialState(policy.lattice).label;
    const vault = createLabel("secret", [], "untrusted");
    expect(check(["pay", "search_email", "search_docs", "read_vault", "dance"]).steps).toEqual([
      { atStep: 0, tool: "pay", effect: "ask", raises: null, label: bottom },
      { atStep: 1, tool: "search_email", effect: "allow", raises: MAIL, label: MAIL },
      { atStep: 2, tool: "search_docs", effect: "allow", raises: null, label: MAIL },
      {
        atStep: 3,
        tool: "read_vault",
        effect: "allow",
        raises: createLabel("secret", [], "trusted"),
        label: vault,
      },
      { atStep: 4, tool: "dance", effect: "deny", raises: null, label: vault },
    ]);
  });

  it("names every step that loads what is too much, and no other (C4)", () => {
    const [violation] = check([
      "search_docs",
      "note",
      "search_email",
      "read_vault",
      "github_create_pr",
    ]).violations;
    expect(violation).toMatchObject({
      atStep: 4,
      reason: "`github_create_pr` is blocked after `read_vault` (step 3) loads secret data",
      suggestion: "move `github_create_pr` before `read_vault`",
    });
  });

  it("tells all violations, by step (C4)", () => {
    expect(codesAt(["dance", "search_email", "web_search", "slack_post"])).toEqual([
      [0, "unknown-tool"],
      [2, "flow-blocked"],
      [3, "flow-blocked"],
    ]);
  });

  it("authorises nothing and changes nothing (C6)", () => {
    const state = session();
    const copy = structuredClone(state);
    checkPlan(policy, state, ["web_search", "search_email"]);
    expect(state).toEqual(copy);
    expect(
      decide(policy, session({ label: createLabel("internal", [], "untrusted") }), { tool: "web_search" })
        .effect,
    ).toBe("deny");
  });

  it("in its safe order meets no block at run time (C6, law-6)", () => {
    const calls = [
      "read_vault",
      "search_email",
      "github_create_pr",
      "web_search",
      "slack_post",
      "search_docs",
    ];
    let state = session();
    const { safeOrdering } = check(calls);
    const effects = (safeOrdering === "undetermined" ? [] : (safeOrdering ?? [])).map((tool, step) => {
      const { effect, source } = decide(policy, state, { tool });
      const event = {
        kind: "call-admitted",
        call: `call_${step}`,
        tool,
        arguments: "",
        source,
        dataset: tool,
        label: state.label,
      } as const;
      state = apply(state, event, "");
      return effect;
    });
    expect(effects).toEqual(Array(calls.length).fill("allow"));
  });
});

describe("a safe order", () => {
  it.each<[string, readonly string[], readonly string[] | null]>([
    [
      "moves as little as it must",
      ["note", "search_email", "note", "web_search", "note"],
      ["note", "note", "web_search", "search_email", "note"],
    ],
    [
      "handles a repeated source",
      ["search_docs", "search_docs", "slack_post"],
      ["slack_post", "search_docs", "search_docs"],
    ],
    [
      "handles a repeated sink",
      ["search_docs", "slack_post", "slack_post"],
      ["slack_post", "slack_post", "search_docs"],
    ],
    [
      "puts several levels in order",
      ["read_vault", "github_create_pr", "search_docs", "slack_post"],
      ["github_create_pr", "slack_post", "read_vault", "search_docs"],
    ],
    [
      "of several clearances uses the one that is left (X2-lattice)",
      ["search_docs", "web_search", "partner_post"],
      ["web_search", "partner_post", "search_docs"],
    ],
    [
      "doesn't move what either clearance admits (X2-lattice)",
      ["search_docs", "partner_post"],
      ["search_docs", "partner_post"],
    ],
    ["isn't there where two shut each other", ["swap", "swap"], null],
    ["isn't there where a tool is unknown", ["note", "dance"], null],
  ])("%s (C5)", (_, calls, expected) => {
    expect(check(calls).safeOrdering).toEqual(expected);
  });

  it("isn't there for a sink that the session has shut already (C5)", () => {
    const state = { label: createLabel("internal", [], "trusted") };
    expect(check(["note", "slack_post"], state)).toMatchObject({
      valid: false,
      violations: [{ atStep: 1, code: "flow-blocked" }],
      safeOrdering: null,
      inTheWay: ["slack_post"],
    });
  });

  it("lists ids where ids are given, and names otherwise (C5)", () => {
    const calls = [
      { id: "read", tool: "search_email" },
      { tool: "note" },
      "web_search",
      { id: "post", tool: "slack_post" },
    ];
    expect(check(calls).safeOrdering).toEqual(["note", "web_search", "post", "read"]);
  });

  it("respects `after` (C5)", () => {
    const calls = [
      { id: "sum", tool: "note", after: ["mail", "web"] },
      { id: "mail", tool: "search_email" },
      { id: "web", tool: "web_search", arguments: { query: "q3" } },
    ];
    expect(check(calls).safeOrdering).toEqual(["web", "mail", "sum"]);
  });

  it("isn't there where `after` forbids it, and the call in the way is named (C5)", () => {
    const calls = [
      { id: "mail", tool: "search_email" },
      { id: "web", tool: "web_search", after: ["mail"] },
    ];
    expect(check(calls)).toMatchObject({
      valid: false,
      violations: [
        {
          atStep: 1,
          code: "flow-blocked",
          suggestion: "drop `web_search`, or give it to a session of its own",
        },
      ],
      safeOrdering: null,
      inTheWay: ["web"],
      waysOut: [
        "Drop `web_search`.",
        "Have a person do `web_search`.",
        "Give `web_search` to a session of its own, opened by the host from the user's own words.",
      ],
    });
  });
});

describe("a plan's ids", () => {
  it("must each stand at one step (C5)", () => {
    const calls = [{ id: "a", tool: "note" }, "note", { id: "a", tool: "note" }, { id: "a", tool: "note" }];
    expect(check(calls)).toMatchObject({
      valid: false,
      violations: [
        {
          atStep: 2,
          tool: "note",
          code: "duplicate-id",
          reason: "the id `a` stands at an earlier step already",
        },
        { atStep: 3, code: "duplicate-id" },
      ],
      safeOrdering: null,
      inTheWay: [],
      waysOut: ["Fix the ids of the plan, then check it again."],
    });
  });

  it("that stand twice mean their first step to those that wait for them (C5)", () => {
    const calls = [
      { id: "a", tool: "note" },
      { id: "b", tool: "note", after: ["a"] },
      { id: "a", tool: "note" },
    ];
    expect(codesAt(calls)).toEqual([[2, "duplicate-id"]]);
  });

  it("must be there to be waited for; a tool's name is none (C5)", () => {
    const calls = ["note", { id: "b", tool: "note", after: ["note", "constructor", "b2"] }];
    expect(check(calls)).toMatchObject({
      violations: [
        {
          atStep: 1,
          code: "unknown-id",
          reason: "it must come after `note`, and no step has that id",
          suggestion: "name the id of a step of this plan, or leave it out",
        },
        {
          atStep: 1,
          code: "unknown-id",
          reason: "it must come after `constructor`, and no step has that id",
        },
        { atStep: 1, code: "unknown-id", reason: "it must come after `b2`, and no step has that id" },
      ],
      safeOrdering: null,
      inTheWay: ["b"],
    });
  });

  it("may be called like an object's properties (C5)", () => {
    const calls = [
      { id: "__proto__", tool: "note", after: ["constructor"] },
      { id: "constructor", tool: "note" },
    ];
    expect(check(calls).safeOrdering).toEqual(["constructor", "__proto__"]);
  });

  it("may be waited for in vain by one call, while the rest is judged without it (C5)", () => {
    const calls = [
      { id: "a", tool: "note", after: ["ghost"] },
      { id: "b", tool: "swap", after: ["a"] },
      { id: "c", tool: "swap" },
    ];
    expect(check(calls).inTheWay).toEqual(["a", "c"]);
  });
});

describe("a step that stands before one that it must come after", () => {
  it("is out of order, and told where to go (C5)", () => {
    const calls = ["note", { id: "late", tool: "note", after: ["first"] }, { id: "first", tool: "note" }];
    expect(check(calls)).toMatchObject({
      valid: false,
      violations: [
        {
          atStep: 1,
          tool: "note",
          code: "out-of-order",
          reason: "`late` must come after `first`, which stands later (step 2)",
          suggestion: "move `late` after `first`",
        },
      ],
      safeOrdering: ["note", "first", "late"],
    });
  });

  it("is told once, whatever else it waits for (C5)", () => {
    const calls = [
      { id: "a", tool: "note", after: ["b", "c"] },
      { id: "b", tool: "note" },
      { id: "c", tool: "note" },
    ];
    expect(codesAt(calls)).toEqual([[0, "out-of-order"]]);
  });
});

describe("steps that wait for each other", () => {
  it("are a circle, told at its first step alone (C5)", () => {
    const calls = ["note", { id: "b", tool: "note", after: ["c"] }, { id: "c", tool: "note", after: ["b"] }];
    expect(check(calls)).toMatchObject({
      valid: false,
      violations: [
        { atStep: 1, tool: "note", code: "circle", reason: "`b` and `c` wait for each other in a circle" },
      ],
      safeOrdering: null,
      inTheWay: ["c"],
    });
  });

  it("are told beside a step that waits for one of them (C5)", () => {
    const calls = [
      { id: "a", tool: "note", after: ["b"] },
      { id: "b", tool: "note", after: ["c"] },
      { id: "c", tool: "note", after: ["b"] },
    ];
    expect(codesAt(calls)).toEqual([
      [0, "out-of-order"],
      [1, "circle"],
    ]);
  });

  it("are told of two circles that are apart, also where one waits for the other (C5)", () => {
    const calls = [
      { id: "a", tool: "note", after: ["b", "c"] },
      { id: "b", tool: "note", after: ["a"] },
      { id: "c", tool: "note", after: ["d"] },
      { id: "d", tool: "note", after: ["c"] },
    ];
    expect(codesAt(calls).filter(([, code]) => code === "circle")).toEqual([
      [0, "circle"],
      [2, "circle"],
    ]);
  });
});

describe("the calls in the way", () => {
  it("are one minimal set, by step, ids where ids are given (C5)", () => {
    const calls = ["swap", { id: "again", tool: "swap" }, "dance", "slack_post"];
    expect(check(calls)).toMatchObject({ safeOrdering: null, inTheWay: ["again", "dance"] });
  });

  it("are all that are refused from the start (C5)", () => {
    expect(check(["search_email", "pay", "note"], { role: "reader" }).inTheWay).toEqual(["pay"]);
  });
});

describe("a call that is refused in any order", () => {
  it("isn't waited for: those that come after it are judged without it (C5)", () => {
    const calls = [
      { id: "read", tool: "read_vault" },
      { id: "post", tool: "slack_post", after: ["read"] },
    ];
    expect(check(calls, { tools: new Set(["slack_post"]) }).inTheWay).toEqual(["read"]);
  });
});

describe("a step that will need a person", () => {
  it("is predicted, and counts as granted (C5)", () => {
    const { valid, approvals, safeOrdering } = check(["note", { id: "p", tool: "pay" }]);
    expect({ valid, approvals, safeOrdering }).toEqual({
      valid: true,
      approvals: [
        { atStep: 1, tool: "pay", reason: expect.stringContaining("Tool `pay` waits for a person.") },
      ],
      safeOrdering: ["note", "p"],
    });
  });

  it("raises what it brings in for those after it (C5)", () => {
    const asking = withOffered(
      definePolicy({
        servers: { mail: {} },
        tools: { post: { permissions: ["connect"] } },
        unclassified: "ask",
      }),
      "mail",
      ["dance"],
    );
    expect(check(["dance", "post"], {}, {}, asking)).toMatchObject({
      violations: [
        {
          atStep: 1,
          code: "flow-blocked",
          reason: "`post` is blocked after `dance` (step 0) loads data that nobody has classified",
        },
      ],
      safeOrdering: ["post", "dance"],
      approvals: [{ atStep: 0, tool: "dance" }],
    });
  });

  it("is a violation where it would be refused anyway (C5)", () => {
    const { violations, approvals } = check(["pay"], {}, { granted: [] });
    expect([violations.map(({ code }) => code), approvals]).toEqual([["permission-missing"], []]);
  });
});

describe("a plan is held against the session as it is", () => {
  it.each<[string, Partial<SessionState>, Facts, string, string]>([
    ["a closed session", { closed: true }, {}, "session-closed", "plan in a new session"],
    ["a role without the tool", { role: "reader" }, {}, "not-in-tool-set", "drop it, or ask the operator"],
    ["a role that is gone", { role: "vanished" }, {}, "not-in-tool-set", "drop it, or ask the operator"],
    [
      "a grant that is too small",
      {},
      { granted: ["read"] },
      "permission-missing",
      "drop it, or ask the operator",
    ],
    [
      "a fault",
      {},
      { faults: [{ code: "provider", message: "No." }] },
      "fault",
      "drop it, or ask the operator",
    ],
  ])("with %s (C6)", (_, state, facts, code, suggestion) => {
    expect(check(["slack_post"], state, facts)).toMatchObject({
      valid: false,
      violations: [{ atStep: 0, tool: "slack_post", code, suggestion }],
      safeOrdering: null,
    });
  });

  it("and a name that could mean two tools is told which (C5)", () => {
    const both = definePolicy({
      servers: { a: { tools: { get: { permissions: [] } } }, b: { tools: { get: { permissions: [] } } } },
    });
    expect(check(["get"], {}, {}, both).violations).toMatchObject([
      { code: "ambiguous-tool", suggestion: "use `a__get` or `b__get`" },
    ]);
  });

  it.each([
    "constructor",
    "__proto__",
    "mcp____",
    "",
    "x".repeat(10_000),
    "a\u202eb",
  ])("and a hostile name is unknown (C5)", (tool) => {
    expect(check([tool]).violations).toMatchObject([{ atStep: 0, tool, code: "unknown-tool" }]);
  });
});

describe("the work of a check is bounded, so", () => {
  it("conditions that take too many steps together are taken at their worst (C5)", () => {
    let evaluated = 0;
    const holds = (_: unknown, meter?: Meter): boolean => {
      evaluated += 1;
      meter?.charge(1000);
      return false;
    };
    const costly = definePolicy({
      tools: { pay: { permissions: ["write"], approval: { when: "args.n > 1", holds } } },
    });
    const { valid, steps, approvals } = check(
      Array(1000).fill({ tool: "pay", arguments: { n: 1 } }),
      {},
      {},
      costly,
    );
    expect(valid).toBe(true);
    expect(evaluated).toBeLessThan(1000);
    const worst = steps.filter(({ dependsOnArguments }) => dependsOnArguments);
    expect(worst.map(({ atStep }) => atStep)).toEqual(approvals.map(({ atStep }) => atStep));
    expect(worst[0]?.atStep).toBe(400);
    expect(worst).toHaveLength(600);
  });

  it("a search for an order that takes too long says so instead of guessing (C5)", () => {
    const teams = 500;
    const tools: Record<string, ToolDeclaration> = {};
    for (let at = 0; at < teams; at += 1) {
      tools[`source_${at}`] = { permissions: ["read"], source: { categories: [`team${at}`] } };
      const sink = [1, 2, 3].map((step) => ({ level: "public", categories: [`team${(at + step) % teams}`] }));
      tools[`sink_${at}`] = { permissions: ["read"], sink };
    }
    const hard = definePolicy({ tools });
    const names = [...hard.tools.keys()];
    const calls = (count: number) => Array.from({ length: count }, (_, at) => names[at % names.length] ?? "");
    expect(check(calls(1000), {}, {}, hard)).toMatchObject({
      valid: false,
      safeOrdering: "undetermined",
      inTheWay: [],
      waysOut: [expect.stringContaining("was given up")],
    });
    expect(check(calls(20), {}, {}, hard).safeOrdering).toHaveLength(20);
    expect(check(calls(1000), {}, {}, hard).violations[0]?.suggestion).toMatch(/^drop/);
  });

  it("an order that is safe as it was given needs no search (C5)", () => {
    const calls = Array.from({ length: 1000 }, (_, at) => (at < 500 ? "partner_post" : "search_docs"));
    expect(check(calls)).toMatchObject({ valid: true, safeOrdering: calls });
  });
});
