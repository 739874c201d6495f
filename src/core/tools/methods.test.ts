import { describe, expect, it } from "vitest";
import {
  apply,
  checkPlan,
  decide,
  definePolicy,
  initialState,
  isMethodId,
  type Label,
  type Policy,
  type PolicyDeclaration,
  toMethodId,
  visibleTools,
  withAllOffered,
  withOffered,
} from "../index.ts";

const MAIL = {
  search: { permissions: ["read"], source: { level: "internal", trust: "untrusted" } },
  archive: { permissions: ["read"], source: { level: "confidential", categories: ["hr"] } },
  send: { permissions: ["connect"], sink: [{ level: "internal", trust: "trusted" }, { level: "public" }] },
  post: { permissions: ["connect"], sink: [{ level: "confidential" }] },
} as const;

const SECRET = { permissions: ["read"], source: { level: "secret" } } as const;

const define = (declaration: PolicyDeclaration): Policy => definePolicy(declaration);
const methodOf = (policy: Policy, method: Parameters<typeof toMethodId>[1] = "resources/read") =>
  policy.methods.get(toMethodId("mail", method));
const codesOf = (policy: Policy, tool: string, role: string | null = null, tools: string[] | null = null) => {
  const opened = { kind: "session-opened", principal: "ada", role, tools, task: false } as const;
  const state = apply(initialState(policy.lattice), opened, "2026-01-01T00:00:00Z");
  return decide(policy, state, { tool }).reasons.map(({ code }) => code);
};
const label = (level: string, trust: string, ...categories: string[]): Label => ({
  level,
  trust,
  categories,
});

describe("what a server offers besides tools", () => {
  it("brings in the join of what its tools bring in, and may receive the meet of what they may (X14)", () => {
    const policy = define({ servers: { mail: { tools: MAIL } } });
    expect(methodOf(policy)).toMatchObject({
      source: label("confidential", "untrusted", "hr"),
      clearances: [label("internal", "trusted"), label("public", "untrusted")],
      permissions: ["read"],
      approval: "never",
    });
  });

  it("has the label and the clearances that its server declares, where it declares them (X14)", () => {
    const mail = { tools: MAIL, source: { level: "internal" }, sink: [{ level: "secret" }] };
    expect(methodOf(define({ servers: { mail } }))).toMatchObject({
      source: label("internal", "trusted"),
      clearances: [label("secret", "untrusted")],
    });
  });

  it("sends nothing out where none of its tools does, and receives the lowest where one has no sink (X14)", () => {
    const { search, archive } = MAIL;
    expect(methodOf(define({ servers: { mail: { tools: { search, archive } } } }))?.clearances).toBeNull();
    const open = { search, send: { permissions: ["connect"] } } as const;
    expect(methodOf(define({ servers: { mail: { tools: open } } }))?.clearances).toEqual([
      label("public", "untrusted"),
    ]);
  });

  it("is the worst of both kinds, and withheld, where nobody has said what its server is (X14, law-2)", () => {
    const policy = withOffered(define({ servers: { mail: {} } }), "mail", ["search"]);
    const id = toMethodId("mail", "prompts/get");
    expect(methodOf(policy, "prompts/get")).toMatchObject({
      source: label("*", "untrusted", "*"),
      clearances: [label("public", "untrusted")],
      classified: false,
    });
    expect(codesOf(policy, id)).toEqual(["unclassified-tool", "approval-required"]);
    expect(codesOf(define({ servers: { mail: {} }, unclassified: "ask" }), id)).toEqual([
      "approval-required",
    ]);
  });

  it("can be declared by itself, as a tool can (X14)", () => {
    const tools = { ...MAIL, "resources/read": { permissions: ["read"], approval: "always" } } as const;
    const policy = withOffered(define({ servers: { mail: { tools } } }), "mail", Object.keys(MAIL));
    expect(methodOf(policy)).toMatchObject({ source: null, clearances: null, approval: "always" });
    expect(methodOf(policy, "prompts/get")?.source?.level).toBe("confidential");
    expect(codesOf(policy, "mcp__mail__resources/read")).toEqual(["approval-required"]);
  });

  it("is in no list of tools, has no short name, and no server can offer a tool of its name (X14)", () => {
    const policy = withOffered(define({ servers: { mail: { tools: MAIL } } }), "mail", [
      ...Object.keys(MAIL),
      "resources/read",
    ]);
    const state = initialState(policy.lattice);
    expect(visibleTools(policy, state).map(({ name }) => name)).toEqual(Object.keys(MAIL));
    for (const name of ["resources/read", "mail__resources/read", "mcp__other__resources/read"])
      expect(codesOf(policy, name)).toEqual(["unknown-tool"]);
    expect(isMethodId("mcp__mail__resources/read") && !isMethodId("mcp__mail__search")).toBe(true);
  });

  it("follows roles, deny lists and narrowings as a tool does, but for what is part of a call (X14, B1)", () => {
    const policy = define({
      servers: { mail: { tools: MAIL } },
      roles: {
        searcher: { tools: ["search"] },
        clerk: { tools: ["mcp__mail__*"], deniedTools: ["mcp__*__sampling/*"] },
      },
    });
    const [read, ask] = [toMethodId("mail", "resources/read"), toMethodId("mail", "elicitation/create")];
    expect(codesOf(policy, read, "searcher")).toEqual(["not-in-tool-set"]);
    expect(codesOf(policy, ask, "searcher")).toEqual([]);
    expect(codesOf(policy, read, "clerk")).toEqual([]);
    expect(codesOf(policy, toMethodId("mail", "sampling/createMessage"), "clerk")).toEqual([
      "denied-by-policy",
    ]);
    expect(codesOf(policy, read, null, ["mcp__mail__search"])).toEqual(["hidden"]);
    expect(codesOf(policy, ask, null, ["mcp__mail__search"])).toEqual([]);
  });

  it("can stand in a plan, and is decided on there as at the call (X14, C6)", () => {
    const policy = define({
      servers: { mail: { tools: MAIL }, web: { tools: { look: { permissions: ["connect"] } } } },
    });
    const read = toMethodId("mail", "resources/read");
    const check = checkPlan(policy, initialState(policy.lattice), [read, "look"]);
    expect(check.violations).toMatchObject([{ atStep: 1, tool: "look" }]);
    expect(check.safeOrdering).toEqual(["look", read]);
  });
});

describe("what a server offers besides tools, whatever it lists at the moment", () => {
  const tools = {
    headlines: { permissions: ["read"], source: { level: "public" } },
    inbox: { permissions: ["read"], source: { level: "confidential", categories: ["hr"] } },
    mail_send: { permissions: ["connect"], sink: [{ level: "public" }] },
    post: { permissions: ["connect"], sink: [{ level: "secret" }] },
  } as const;
  const declared = { servers: { mail: { tools } } } as const;
  const whole = {
    source: label("confidential", "trusted", "hr"),
    clearances: [label("public", "untrusted")],
    classified: true,
  };

  it.each([
    [[]],
    [["headlines", "post"]],
    [["headlines", "unheard_of"]],
    [Object.keys(tools)],
  ])("keeps the label and the clearances of all that is declared while it lists %j (X14, law-1)", (listed) => {
    expect(methodOf(withOffered(define(declared), "mail", listed))).toMatchObject(whole);
  });

  it("keeps them while a definition isn't the accepted one (X14)", () => {
    const lists = [{ server: "mail", tools: Object.keys(tools), changed: ["inbox", "mail_send"] }];
    expect(methodOf(withAllOffered(define(declared), lists))).toMatchObject(whole);
  });

  it.each([
    ["under the server", { servers: { mail: { tools: { ...tools, "read_*": SECRET } } } }],
    ["of all its tools", { servers: { mail: { tools: { ...tools, "*": SECRET } } } }],
    ["at the top", { ...declared, tools: { "mcp__m*__read_*": SECRET } }],
    ["of whatever nothing else names", { ...declared, tools: { "*": SECRET } }],
  ])("counts what a pattern says %s, whether or not the server lists such a tool (X14)", (_, policy) => {
    for (const listed of [[], ["read_all"], ["headlines"]])
      expect(methodOf(withOffered(define(policy), "mail", listed))?.source?.level).toBe("secret");
  });

  it("doesn't count patterns for others, nor one that a more specific pattern always beats (X14)", () => {
    const { headlines } = tools;
    const ours = { servers: { mail: { tools: { "*": headlines } } }, tools: { "*": SECRET, "x_*": SECRET } };
    expect(methodOf(define(ours))?.source?.level).toBe("public");
    const others = { servers: { mail: { tools: { headlines } } }, tools: { "mcp__web__*": SECRET } };
    expect(methodOf(define(others))?.source?.level).toBe("public");
  });
});

describe("a pattern and the methods of a server", () => {
  it.each([
    "resources/*",
    "*/read",
    "resources/rea*",
  ])("%s declares the methods that it matches (X14)", (key) => {
    const asks = { ...SECRET, approval: "always" } as const;
    const policy = define({
      servers: { mail: { source: { level: "public" }, tools: { ...MAIL, [key]: asks } } },
    });
    expect(methodOf(policy)).toMatchObject({ source: label("secret", "trusted"), approval: "always" });
    expect(methodOf(policy, "prompts/get")).toMatchObject({
      source: label("public", "trusted"),
      approval: "never",
    });
    expect(codesOf(policy, "mcp__mail__resources/read")).toEqual(["approval-required"]);
  });

  it("at the top does so for each server, a name before a pattern and a longer pattern before a shorter (X14)", () => {
    const at = (level: string) => ({ permissions: ["read"], source: { level } }) as const;
    const policy = define({
      servers: { mail: { tools: { ...MAIL, "prompts/*": at("internal"), "prompts/get": at("public") } } },
      tools: {
        "mcp__*__resources/*": at("confidential"),
        "mcp__mail__resources/l*": at("secret"),
        "mcp__mail__*": { permissions: ["read"] },
      },
    });
    const level = (method: Parameters<typeof toMethodId>[1]) => methodOf(policy, method)?.source?.level;
    expect(level("prompts/get")).toBe("public");
    expect(level("prompts/list")).toBe("internal");
    expect(level("resources/list")).toBe("secret");
    expect(level("resources/read")).toBe("confidential");
  });

  it("that asks about whatever a server has asks about what a client asks it for, and never within a call (X14)", () => {
    const asks = { permissions: ["read"], approval: "always" } as const;
    for (const key of ["*", "*read", "resources*"]) {
      const policy = define({ servers: { mail: { tools: { ...MAIL, [key]: asks } } } });
      expect(methodOf(policy)?.approval).toBe("always");
      expect(methodOf(policy)?.source?.level).toBe("confidential");
      expect(methodOf(policy, "elicitation/create")?.approval).toBe("never");
    }
  });

  it.each([
    ["resource/*", { servers: { mail: { tools: { "resource/*": SECRET } } } }],
    ["tools/call", { servers: { mail: { tools: { "tools/call": SECRET } } } }],
    ["mcp__mail__prompt/get", { servers: { mail: {} }, tools: { "mcp__mail__prompt/get": SECRET } }],
    ["mcp__*__*/reads", { tools: { "mcp__*__*/reads": SECRET } }],
  ])("is refused where it is called like a method and is none: %s (X14)", (name, policy) => {
    expect(() => define(policy)).toThrow(
      expect.objectContaining({ code: "policy-invalid", message: expect.stringContaining(name) }),
    );
  });
});
