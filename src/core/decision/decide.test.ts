import { describe, expect, it } from "vitest";
import { createLabel, type Label, topLabel } from "../label/label.ts";
import { definePolicy, type Policy, type PolicyDeclaration, tighten, withOffered } from "../policy/policy.ts";
import { apply, initialState, type SessionEvent, type SessionState } from "../state/state.ts";
import { type Decision, decide } from "./decide.ts";
import type { Facts } from "./decision-context.ts";
import { isBlocked } from "./flow.ts";
import { EFFECT_OF, type Reason } from "./reason.ts";
import { CHECK_OF, CHECKS, trailOf } from "./trail.ts";

const OFFICE: PolicyDeclaration = {
  servers: {
    mail: {
      tools: { search_email: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } } },
    },
    crm: {
      tools: {
        sync: {
          permissions: ["read", "connect"],
          source: { level: "confidential" },
          sink: [{ level: "confidential" }],
        },
      },
    },
  },
  tools: {
    note: { permissions: [] },
    web_search: { permissions: ["connect"], source: { trust: "untrusted" } },
    partner_post: {
      permissions: ["connect"],
      sink: [{ level: "internal", trust: "trusted" }, { level: "public" }],
    },
    pay: { permissions: ["write"], approval: "always", tags: ["money"] },
  },
  roles: { reader: { tools: ["search_email", "web_search"], permissions: ["read"] }, anyone: {} },
};

const policy = definePolicy(OFFICE);

const label = (level: string, trust = "trusted", ...categories: string[]): Label =>
  createLabel(level, categories, trust);

/** A session after these calls; each brings its tool's source in. */
function sessionAfter(by: Policy, ...tools: string[]): SessionState {
  return tools.reduce((state, tool, step) => {
    const { tool: meant, source } = decide(by, state, { tool });
    const event: SessionEvent = {
      kind: "call-admitted",
      call: `call_${step}`,
      tool: meant?.id ?? tool,
      arguments: "",
      source,
      dataset: meant?.server ?? tool,
      label: state.label,
    };
    return apply(state, event, "");
  }, initialState(by.lattice));
}

const clean = initialState(policy.lattice);

const decideOn = (
  tool: string,
  state: Partial<SessionState> = {},
  facts: Facts = {},
  by = policy,
): Decision => decide(by, { ...initialState(by.lattice), ...state }, { tool }, facts);

const codesOf = ({ reasons }: Decision): readonly string[] => reasons.map(({ code }) => code);

describe("a call", () => {
  it("that nothing speaks against is allowed, and brings its tool's source in (A1)", () => {
    expect(decideOn("mail__search_email")).toEqual({
      effect: "allow",
      tool: policy.tools.get("mcp__mail__search_email"),
      reasons: [],
      faults: [],
      source: label("internal", "untrusted"),
    });
  });

  it.each([
    "search_email",
    "mail__search_email",
    "mcp__mail__search_email",
  ])("means the same tool by each of its names: %s", (name) => {
    expect(decideOn(name).tool?.id).toBe("mcp__mail__search_email");
  });

  it("of a tool without a source brings nothing in", () => {
    expect(decideOn("note")).toMatchObject({ effect: "allow", source: null });
  });

  it("that is refused brings nothing in", () => {
    expect(decideOn("search_email", { closed: true })).toMatchObject({ effect: "deny", source: null });
  });

  it("that asks says what it would bring in", () => {
    const asking = definePolicy({
      tools: { read: { permissions: ["read"], source: { level: "secret" }, approval: "always" } },
    });
    expect(decideOn("read", {}, {}, asking)).toMatchObject({ effect: "ask", source: label("secret") });
  });

  it("is told every reason, in the order of the checks (law-1)", () => {
    const money = tighten(definePolicy({ ...OFFICE, unclassified: "withhold" }), { requireTags: ["none"] });
    const state = { closed: true, role: "reader", tools: new Set<string>(), label: label("secret") };
    const facts: Facts = { visible: new Set(), faults: [{ code: "provider", message: "No answer." }] };
    expect(codesOf(decideOn("pay", state, facts, money))).toEqual([
      "session-closed",
      "missing-tag",
      "not-in-tool-set",
      "hidden",
      "permission-missing",
      "approval-required",
      "fault",
    ]);
  });
});

describe("a name", () => {
  it.each([
    "dance",
    "constructor",
    "__proto__",
    "mcp____",
    "",
    "mcp__mail__",
    "s\u202edne",
    "x".repeat(100_000),
  ])("that means no tool is refused as unknown (law-2)", (tool) => {
    expect(decideOn(tool)).toEqual({
      effect: "deny",
      tool: null,
      reasons: [{ code: "unknown-tool", tool }],
      faults: [],
      source: null,
    });
  });
});

describe("an ambiguous name", () => {
  const READ = { permissions: ["read"] } as const;
  const CONNECT = { permissions: ["connect"] } as const;
  const three = definePolicy({
    servers: {
      mail: { tools: { get: READ } },
      web: { tools: { get: READ } },
      crm: { tools: { get: CONNECT } },
    },
    roles: { surfer: { tools: ["mail__get", "web__get"] }, webber: { tools: ["web__get"] } },
  });
  const two = ["mcp__mail__get", "mcp__web__get"];
  const one = ["mcp__web__get"];

  it("is refused, and the names are told that aren't", () => {
    expect(decideOn("get", {}, {}, three)).toMatchObject({
      effect: "deny",
      tool: null,
      reasons: [{ code: "ambiguous-tool", tool: "get", candidates: ["mail__get", "web__get", "crm__get"] }],
    });
  });

  it.each<[string, Partial<SessionState>, Facts, Policy]>([
    ["that the run doesn't see", {}, { visible: new Set(two) }, three],
    ["that the session was narrowed away from", { tools: new Set(two) }, {}, three],
    ["that the role doesn't have", { role: "surfer" }, {}, three],
    ["that the policy takes away", {}, {}, tighten(three, { deniedTools: ["crm__*"] })],
    ["that needs more than is granted", {}, { granted: ["read"] }, three],
  ])("names no tool %s (B1, law-5)", (_, state, facts, by) => {
    expect(decideOn("get", state, facts, by).reasons).toEqual([
      { code: "ambiguous-tool", tool: "get", candidates: ["mail__get", "web__get"] },
    ]);
  });

  it.each<[string, Partial<SessionState>, Facts, Policy]>([
    ["the run sees one of them", {}, { visible: new Set(one) }, three],
    ["the run sees none", {}, { visible: new Set() }, three],
    ["the session has one", { tools: new Set(one) }, {}, three],
    ["the session has none", { tools: new Set() }, {}, three],
    ["the role has one", { role: "webber" }, {}, three],
    ["the role is gone", { role: "vanished" }, {}, three],
    ["the policy takes all but one", {}, {}, tighten(three, { allowedTools: one })],
    ["nothing is granted", {}, { granted: [] }, three],
    [
      "nobody classified them",
      {},
      {},
      withOffered(withOffered(definePolicy({ servers: { a: {}, b: {} } }), "a", ["get"]), "b", ["get"]),
    ],
  ])("means nothing where %s, so that it tells of no other (B1, law-5)", (_, state, facts, by) => {
    expect(decideOn("get", state, facts, by).reasons).toEqual([{ code: "unknown-tool", tool: "get" }]);
  });

  it("names tools that are blocked or ask, since they can be seen", () => {
    const state = { label: label("secret") };
    expect(codesOf(decideOn("get", state, {}, three))).toEqual(["ambiguous-tool"]);
  });

  it("doesn't come to mean the only tool that is left, once the others are not offered (X12-pins)", () => {
    const offered = withOffered(withOffered(three, "mail", []), "crm", []);
    expect(decideOn("get", {}, {}, offered).reasons).toEqual([{ code: "unknown-tool", tool: "get" }]);
    expect(decideOn("web__get", {}, {}, offered).tool?.name).toBe("web__get");
  });
});

describe("a closed session", () => {
  it("refuses every call, and says so first", () => {
    expect(codesOf(decideOn("note", { closed: true }))).toEqual(["session-closed"]);
    expect(codesOf(decideOn("dance", { closed: true }))).toEqual(["session-closed", "unknown-tool"]);
  });
});

describe("a tool that nobody classified", () => {
  const offer = (unclassified: "withhold" | "ask"): Policy =>
    withOffered(definePolicy({ ...OFFICE, unclassified }), "mail", ["search_email", "dance"]);

  it("is withheld (law-2)", () => {
    expect(decideOn("dance", {}, {}, offer("withhold"))).toMatchObject({
      effect: "deny",
      reasons: [
        { code: "unclassified-tool", tool: "dance" },
        { code: "approval-required", tool: "dance", because: "unclassified" },
      ],
    });
  });

  it("is asked about where the policy says so, and brings in the top (law-2)", () => {
    expect(decideOn("dance", {}, {}, offer("ask"))).toMatchObject({
      effect: "ask",
      reasons: [{ code: "approval-required", tool: "dance", because: "unclassified" }],
      source: topLabel(policy.lattice),
    });
  });

  it.each([
    ["a session with private data", { label: label("internal") }, {}, "flow-blocked"],
    [
      "a session with untrusted content is fine",
      { label: label("public", "untrusted") },
      {},
      "approval-required",
    ],
    ["fewer permissions than all", {}, { granted: ["read", "write"] }, "permission-missing"],
  ] as const)("is the worst of both kinds: %s (law-2)", (_, state, facts, code) => {
    expect(codesOf(decideOn("dance", state, facts, offer("ask")))[0]).toBe(code);
  });
});

describe("a policy or a role that has lost the tool", () => {
  it.each([
    ["denied", { deniedTools: ["pay"] }, "denied-by-policy"],
    ["not allowed", { allowedTools: ["note"] }, "denied-by-policy"],
    ["without a required tag", { requireTags: ["tame"] }, "missing-tag"],
  ] as const)("refuses it as %s (B1)", (_, limit, code) => {
    const { effect, reasons } = decideOn("pay", {}, {}, tighten(policy, limit));
    expect([effect, reasons[0]]).toEqual(["deny", { code, tool: "pay" }]);
  });

  it("refuses it, naming the role (E1)", () => {
    expect(decideOn("note", { role: "reader" }).reasons).toEqual([
      { code: "not-in-tool-set", tool: "note", role: "reader" },
    ]);
  });

  it("refuses everything where the role itself is gone (law-4)", () => {
    const effects = [...policy.tools.keys()].map((id) => decideOn(id, { role: "vanished" }));
    expect(new Set(effects.map(({ effect }) => effect))).toEqual(new Set(["deny"]));
    expect(decideOn("search_email", { role: "constructor" }).reasons).toEqual([
      { code: "not-in-tool-set", tool: "search_email", role: "constructor" },
      { code: "permission-missing", tool: "search_email", missing: ["read"] },
    ]);
  });

  it("refuses a tool that a pattern alone declares, where the role is gone (law-4)", () => {
    const open = definePolicy({ tools: { "*": { permissions: [] } } });
    expect(codesOf(decideOn("anything", { role: "vanished" }, {}, open))).toEqual(["not-in-tool-set"]);
  });
});

describe("a hidden tool", () => {
  it.each<[string, Partial<SessionState>, Facts]>([
    ["the session was narrowed", { tools: new Set(["note"]) }, {}],
    ["the run doesn't see it", {}, { visible: new Set(["note"]) }],
    ["both", { tools: new Set(["note"]) }, { visible: new Set(["note"]) }],
    ["it is meant by its short name alone", { tools: new Set(["search_email"]) }, {}],
  ])("is refused where %s (law-5)", (_, state, facts) => {
    expect(decideOn("search_email", state, facts).reasons).toEqual([
      { code: "hidden", tool: "search_email" },
    ]);
  });

  it("isn't hidden where both have it", () => {
    const both = new Set(["mcp__mail__search_email"]);
    expect(decideOn("search_email", { tools: both }, { visible: both }).effect).toBe("allow");
  });
});

describe("permissions", () => {
  it.each<[string, string, Partial<SessionState>, Facts, readonly string[]]>([
    ["all that are missing are named", "crm__sync", {}, { granted: ["write"] }, ["read", "connect"]],
    ["only those that are missing", "crm__sync", {}, { granted: ["connect", "write"] }, ["read"]],
    ["a role grants what it names", "web_search", { role: "reader" }, {}, ["connect"]],
    ["an empty grant grants nothing", "pay", {}, { granted: [] }, ["write"]],
    [
      "a grant gives no more than the role (law-4)",
      "web_search",
      { role: "reader" },
      { granted: ["read", "connect"] },
      ["connect"],
    ],
  ])("are missing: %s (A1)", (_, tool, state, facts, missing) => {
    const { effect, reasons } = decideOn(tool, state, facts);
    expect([effect, reasons.find(({ code }) => code === "permission-missing")]).toEqual([
      "deny",
      { code: "permission-missing", tool: policy.names.shown(policy.names.resolve(tool).id ?? ""), missing },
    ]);
  });

  it.each<[string, string, Partial<SessionState>, Facts]>([
    ["a session without a role has what its tools declare", "crm__sync", {}, {}],
    ["so has a role that names none", "crm__sync", { role: "anyone" }, {}],
    ["a tool that needs none is never without", "note", {}, { granted: [] }],
    ["more than is needed is enough", "search_email", {}, { granted: ["read", "write", "connect"] }],
  ])("are granted: %s (A1)", (_, tool, state, facts) => {
    expect(decideOn(tool, state, facts).effect).toBe("allow");
  });
});

describe("a flow", () => {
  it.each([
    ["the web after mail", ["search_email"], "web_search", true],
    ["the web before mail", [], "web_search", false],
    ["the web after the web, which is untrusted but public", ["web_search"], "web_search", false],
    ["a tool that sends nothing, at any label", ["crm__sync", "search_email"], "note", false],
    ["a tool up to its own clearance", ["search_email"], "crm__sync", false],
    ["a tool that reads its own source again (A7)", ["crm__sync"], "crm__sync", false],
    ["either clearance: untrusted, but public", ["web_search"], "partner_post", false],
    ["neither clearance: untrusted and internal", ["search_email"], "partner_post", true],
  ] as const)("is blocked or not: %s (C1-declared, X2-lattice)", (_, before, tool, blocked) => {
    const state = sessionAfter(policy, ...before);
    expect(codesOf(decide(policy, state, { tool }))).toEqual(blocked ? ["flow-blocked"] : []);
    expect(isBlocked(state, policy.tools.get(policy.names.resolve(tool).id ?? "") as never)).toBe(blocked);
  });

  it("that is blocked names the calls and data sets that raised the label, and no others (C1-declared)", () => {
    const state = sessionAfter(policy, "web_search", "search_email", "search_email", "note");
    const [reason] = decide(policy, state, { tool: "web_search" }).reasons;
    expect(reason).toEqual({
      code: "flow-blocked",
      tool: "web_search",
      label: label("internal", "untrusted"),
      clearances: [label("public", "untrusted")],
      causes: [
        {
          call: "call_1",
          step: 1,
          tool: "search_email",
          dataset: "mail",
          label: label("internal", "untrusted"),
        },
      ],
    } satisfies Reason);
  });

  it("that is blocked doesn't name what came in when the label stood that high already", () => {
    const two = definePolicy({
      servers: {
        mail: { tools: { read: { permissions: ["read"], source: { level: "secret" } } } },
        crm: { tools: { read: { permissions: ["read"], source: { level: "internal" } } } },
        web: { tools: { get: { permissions: ["connect"] } } },
      },
    });
    const state = sessionAfter(two, "mail__read", "crm__read");
    const [reason] = decide(two, state, { tool: "get" }).reasons;
    expect(reason?.code === "flow-blocked" && reason.causes.map(({ dataset }) => dataset)).toEqual(["mail"]);
  });

  it.each<[string, Partial<SessionState>, Facts]>([
    ["the session", { tools: new Set(["web_search"]) }, {}],
    ["the run", {}, { visible: new Set(["web_search"]) }],
  ])("that is blocked names no tool that %s doesn't see, but its data set (law-5)", (_, state, facts) => {
    const before = { ...sessionAfter(policy, "search_email"), ...state };
    const [reason] = decide(policy, before, { tool: "web_search" }, facts).reasons;
    expect(reason).toMatchObject({ code: "flow-blocked", causes: [{ tool: null, dataset: "mail" }] });
  });

  it("with several clearances names all that raised the label: each may be what was too much (X2-lattice)", () => {
    const state = sessionAfter(policy, "web_search", "search_email");
    const [reason] = decide(policy, state, { tool: "partner_post" }).reasons;
    expect(reason?.code === "flow-blocked" && reason.causes.map(({ tool }) => tool)).toEqual([
      "web_search",
      "search_email",
    ]);
  });

  it("names the data set alone where the host brought it in", () => {
    const event: SessionEvent = {
      kind: "label-raised",
      call: null,
      step: null,
      tool: null,
      source: label("secret"),
      dataset: "vault",
      label: label("secret"),
    };
    const [reason] = decide(policy, apply(clean, event, ""), { tool: "web_search" }).reasons;
    expect(reason?.code === "flow-blocked" && reason.causes).toEqual([
      { call: null, step: null, tool: null, dataset: "vault", label: label("secret") },
    ]);
  });

  it("to a tool that may receive nothing is blocked from the start", () => {
    const shut = definePolicy({ tools: { hole: { permissions: ["connect"], sink: [] } } });
    expect(decideOn("hole", {}, {}, shut).reasons).toEqual([
      { code: "flow-blocked", tool: "hole", label: label("public"), clearances: [], causes: [] },
    ]);
  });

  it("of a category goes only where that is cleared (X2-lattice)", () => {
    const hr = definePolicy({
      tools: {
        read: { permissions: ["read"], source: { categories: ["hr"] } },
        hr_post: { permissions: ["connect"], sink: [{ level: "public", categories: ["hr", "law"] }] },
        web: { permissions: ["connect"] },
      },
    });
    const state = sessionAfter(hr, "read");
    const effects = ["hr_post", "web", "read"].map((tool) => decide(hr, state, { tool }).effect);
    expect(effects).toEqual(["allow", "deny", "allow"]);
  });
});

describe("an approval", () => {
  it("is asked for where the declaration says so", () => {
    expect(decideOn("pay")).toMatchObject({
      effect: "ask",
      reasons: [{ code: "approval-required", tool: "pay", because: "always" }],
    });
  });

  it("doesn't help where something denies (law-1)", () => {
    expect(decideOn("pay", {}, { granted: [] })).toMatchObject({ effect: "deny" });
    expect(codesOf(decideOn("pay", {}, { granted: [] }))).toEqual([
      "permission-missing",
      "approval-required",
    ]);
  });
});

describe("a fault", () => {
  const faults = [{ code: "provider", message: "No answer in time." }] as const;

  it("denies what would be allowed, and is reported (law-9)", () => {
    expect(decideOn("note", {}, { faults })).toEqual({
      effect: "deny",
      tool: policy.tools.get("note"),
      reasons: [{ code: "fault", tool: "note" }],
      faults,
      source: null,
    });
  });

  it("denies what would be asked (law-9)", () => {
    expect(decideOn("pay", {}, { faults }).effect).toBe("deny");
  });

  it("is told beside the unknown name", () => {
    expect(decideOn("dance", {}, { faults }).reasons).toEqual([
      { code: "unknown-tool", tool: "dance" },
      { code: "fault", tool: "dance" },
    ]);
  });

  it("isn't there where the list of faults is empty", () => {
    expect(decideOn("note", {}, { faults: [] }).effect).toBe("allow");
  });
});

describe("the trail of a decision", () => {
  const results = (decision: Decision) =>
    Object.fromEntries(trailOf(decision).map(({ check, result }) => [check, result]));

  it("has every check, passed, where a call is allowed", () => {
    expect(results(decideOn("note"))).toEqual({
      exists: "pass",
      policy: "pass",
      visible: "pass",
      permissions: "pass",
      rules: "pass",
      flow: "pass",
      endorsement: "pass",
      approval: "pass",
      facts: "pass",
    });
  });

  it("tells the check that asks from those that deny", () => {
    const decision = decideOn("pay", { label: label("secret"), tools: new Set() }, { granted: [] });
    expect(results(decision)).toMatchObject({
      exists: "pass",
      visible: "deny",
      permissions: "deny",
      flow: "pass",
      approval: "ask",
    });
  });

  it("skips what needs a tool where there is none", () => {
    expect(results(decideOn("dance"))).toEqual({
      exists: "deny",
      policy: "skipped",
      visible: "skipped",
      permissions: "skipped",
      rules: "skipped",
      flow: "skipped",
      endorsement: "skipped",
      approval: "skipped",
      facts: "pass",
    });
  });

  it("holds each reason once, at its check", () => {
    const decision = decideOn(
      "pay",
      { role: "reader" },
      { faults: [{ code: "approvals", message: "Full." }] },
    );
    expect(trailOf(decision).flatMap(({ reasons }) => reasons)).toEqual(decision.reasons);
  });

  it("has a check for every reason that there is", () => {
    expect(Object.keys(CHECK_OF).sort()).toEqual(Object.keys(EFFECT_OF).sort());
    expect(Object.values(CHECK_OF).filter((check) => !CHECKS.includes(check))).toEqual([]);
  });
});

it("decides on plain data and changes none of it", () => {
  const state = sessionAfter(policy, "search_email");
  const copy = structuredClone(state);
  decide(
    policy,
    state,
    Object.freeze({ tool: "web_search", arguments: Object.freeze({}) }),
    Object.freeze({}),
  );
  expect(state).toEqual(copy);
});
