import { describe, expect, it } from "vitest";
import { lookUp } from "../tools/look-up.ts";
import type { ToolDeclaration } from "../tools/tool.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import { InvalidToolError } from "../tools/tool-set.ts";
import { definePolicy, type Policy, type PolicyDeclaration, tighten, withOffered } from "./policy.ts";

const READ: ToolDeclaration = { permissions: ["read"] };
const WRITE: ToolDeclaration = { permissions: ["write"] };
const CONNECT: ToolDeclaration = { permissions: ["connect"] };

const OFFICE: PolicyDeclaration = {
  servers: { mail: { tools: { send: CONNECT, search: READ } }, web: { tools: { search: CONNECT } } },
  tools: { note: WRITE },
  roles: {
    reader: { tools: ["mail__search", "note"], permissions: ["read"] },
    anyone: {},
    sender: { allowedTools: ["mcp__mail__*"], deniedTools: ["search"], requireTags: [] },
  },
};

const idsOf = (policy: Policy) => [...policy.tools.keys()];
const removedFrom = (policy: Policy, role: string) =>
  Object.fromEntries(policy.roles.get(role)?.removed ?? []);
const permissionsOf = (policy: Policy, name: string) => lookUp(policy, name).tool?.permissions ?? null;

describe("a policy", () => {
  it("has a tool for each name that is declared, under a server or at the top", () => {
    const policy = definePolicy(OFFICE);
    expect([...policy.tools.values()].map(({ id, name }) => [id, name])).toEqual([
      ["mcp__mail__send", "send"],
      ["mcp__mail__search", "mail__search"],
      ["mcp__web__search", "web__search"],
      ["note", "note"],
    ]);
  });

  it("of nothing has no tool, no role, the default lattice, and withholds what nobody classified", () => {
    const { tools, roles, lattice, unclassified, version, removed } = definePolicy({});
    expect({
      tools: tools.size,
      roles: roles.size,
      lattice,
      unclassified,
      version,
      removed: removed.size,
    }).toEqual({
      tools: 0,
      roles: 0,
      lattice: { levels: ["public", "internal", "confidential", "secret"], trust: ["untrusted", "trusted"] },
      unclassified: "withhold",
      version: "unversioned",
      removed: 0,
    });
  });

  it("has the lattice that its declaration names", () => {
    const { lattice } = definePolicy({ levels: ["low", "high"], trust: ["all"] });
    expect(lattice).toEqual({ levels: ["low", "high"], trust: ["all"] });
  });

  it("keeps the version it is given, whatever servers offer", () => {
    const policy = definePolicy(OFFICE, { version: "sha256:1" });
    const made = [policy, withOffered(policy, "mail", [])];
    expect(made.map(({ version }) => version)).toEqual(["sha256:1", "sha256:1"]);
  });

  it("is another version once it is tightened, the same one for the same rules", () => {
    const policy = definePolicy(OFFICE, { version: "sha256:1" });
    const version = (limit: ToolPolicy) => tighten(policy, limit).version;
    expect(version({ deniedTools: ["b", "a", "b"] })).toBe('sha256:1+[null,["a","b"],[]]');
    expect(version({ deniedTools: ["a", "b"] })).toBe(version({ deniedTools: ["b", "a"] }));
    const others = [{}, { allowedTools: [] }, { allowedTools: ["a"] }, { requireTags: ["a"] }].map(version);
    expect(new Set([...others, policy.version]).size).toBe(5);
    expect(tighten(tighten(policy, {}), {}).version).not.toBe(version({}));
  });

  it("is frozen", () => {
    const policy: any = definePolicy(OFFICE);
    expect(() => {
      policy.unclassified = "ask";
    }).toThrow(TypeError);
    expect(() => {
      policy.origin.limits = [];
    }).toThrow(TypeError);
    expect(() => {
      policy.roles.get("reader").permissions = null;
    }).toThrow(TypeError);
  });

  it("takes an identity at the top for the same tool as the short name under its server", () => {
    const [top, under] = [
      definePolicy({ servers: { mail: {} }, tools: { mcp__mail__send: CONNECT } }),
      definePolicy({ servers: { mail: { tools: { send: CONNECT } } } }),
    ];
    expect([...top.tools.values()]).toEqual([...under.tools.values()]);
  });

  it("that declares a tool twice, in both ways, is refused: one of the two would be ignored", () => {
    const twice = { servers: { mail: { tools: { send: READ } } }, tools: { mcp__mail__send: CONNECT } };
    expect(() => definePolicy(twice)).toThrow(
      expect.objectContaining({ code: "policy-invalid", details: { tool: "mcp__mail__send" } }),
    );
  });

  it.each(["a__b", "", "_a", "a_", "a b", "*"])("with a server called %j is refused (E2)", (id) => {
    expect(() => definePolicy({ servers: { [id]: { tools: { send: READ } } } })).toThrow(
      expect.objectContaining({ code: "policy-invalid" }),
    );
  });

  it("doesn't follow its declaration when that changes later", () => {
    const declaration: any = {
      tools: { "*": { permissions: ["connect"] }, note: { permissions: ["read"] } },
    };
    const policy = definePolicy(declaration);
    declaration.tools["*"].permissions.pop();
    declaration.tools.note = { permissions: [] };
    expect([permissionsOf(policy, "anything"), permissionsOf(tighten(policy, {}), "note")]).toEqual([
      ["connect"],
      ["read"],
    ]);
  });

  it("takes a short name at the top for the agent's own tool, never for a server's", () => {
    const policy = withOffered(definePolicy({ servers: { mail: {} }, tools: { send: READ } }), "mail", [
      "send",
    ]);
    expect(lookUp(policy, "send").tool).toMatchObject({ id: "send", server: null, classified: true });
    expect(lookUp(policy, "mail__send").tool?.classified).toBe(false);
  });

  it("may have servers, tools and roles called like an object's properties", () => {
    const policy = definePolicy({
      servers: { constructor: { tools: { constructor: READ } } },
      tools: JSON.parse('{ "__proto__": { "permissions": ["read"] } }'),
      roles: JSON.parse('{ "__proto__": { "tools": ["__proto__"] } }'),
    });
    expect(idsOf(policy)).toEqual(["mcp__constructor__constructor", "__proto__"]);
    expect(removedFrom(policy, "__proto__")).toEqual({ mcp__constructor__constructor: ["not-in-tool-set"] });
  });

  it("knows nothing that is only an object's property", () => {
    const policy = definePolicy(OFFICE);
    const names = [
      "constructor",
      "__proto__",
      "toString",
      "mcp__constructor__x",
      "mcp____proto____x",
      "mcp____",
    ];
    expect(names.filter((name) => lookUp(policy, name).tool !== null)).toEqual([]);
    expect(policy.roles.has("constructor")).toBe(false);
  });
});

describe("a tool policy over all", () => {
  it("takes tools away, each with its reasons (B1)", () => {
    const policy = definePolicy({
      ...OFFICE,
      tools: { note: WRITE, post: { permissions: ["connect"], tags: ["out"] } },
      policy: { deniedTools: ["mcp__mail__*"], requireTags: ["out"] },
    });
    expect(Object.fromEntries(policy.removed)).toEqual({
      mcp__mail__send: ["denied-by-policy", "missing-tag"],
      mcp__mail__search: ["denied-by-policy", "missing-tag"],
      mcp__web__search: ["missing-tag"],
      note: ["missing-tag"],
    });
  });

  it("with an empty allow list takes everything (B1)", () => {
    const policy = definePolicy({ ...OFFICE, policy: { allowedTools: [] } });
    expect([...policy.removed.keys()]).toEqual(idsOf(policy));
  });

  it("takes what a server turns out to offer as well (B1)", () => {
    const policy = definePolicy({ ...OFFICE, policy: { deniedTools: ["mcp__mail__*"] } });
    const offered = withOffered(policy, "mail", ["send", "delete"]);
    expect(offered.removed.get("mcp__mail__delete")).toEqual(["denied-by-policy"]);
  });
});

describe("a tighter policy", () => {
  it("has lost more tools and got none back (law-4)", () => {
    const once = tighten(definePolicy(OFFICE), { deniedTools: ["send"] });
    const twice = tighten(once, { allowedTools: ["send", "note"] });
    expect([...once.removed.keys()]).toEqual(["mcp__mail__send"]);
    expect([...twice.removed.keys()]).toEqual(["mcp__mail__send", "mcp__mail__search", "mcp__web__search"]);
  });

  it("leaves the one that it was made from as it was (law-4)", () => {
    const policy = definePolicy(OFFICE);
    tighten(policy, { allowedTools: [] });
    expect(policy.removed.size).toBe(0);
  });

  it("stays as tight when a server's list becomes known (law-4)", () => {
    const tight = withOffered(tighten(definePolicy(OFFICE), { deniedTools: ["dance"] }), "mail", ["dance"]);
    expect(tight.removed.get("mcp__mail__dance")).toEqual(["denied-by-policy"]);
  });
});

describe("a role", () => {
  it("has the tools of its set and no others (E1)", () => {
    expect(removedFrom(definePolicy(OFFICE), "reader")).toEqual({
      mcp__mail__send: ["not-in-tool-set"],
      mcp__web__search: ["not-in-tool-set"],
    });
  });

  it("without a set has every tool, and what its tools declare is granted", () => {
    const policy = definePolicy(OFFICE);
    expect(removedFrom(policy, "anyone")).toEqual({});
    expect(policy.roles.get("anyone")?.permissions).toBeNull();
  });

  it("with an empty set has none (E1)", () => {
    const policy = definePolicy({ ...OFFICE, roles: { generator: { tools: [] } } });
    expect(Object.values(removedFrom(policy, "generator"))).toEqual(Array(4).fill(["not-in-tool-set"]));
  });

  it("may have the keys of a tool policy (B1)", () => {
    expect(removedFrom(definePolicy(OFFICE), "sender")).toEqual({
      mcp__mail__search: ["denied-by-policy"],
      mcp__web__search: ["denied-by-policy"],
      note: ["denied-by-policy"],
    });
  });

  it("can't have a tool by a name that could mean another (E2)", () => {
    const policy = definePolicy({ ...OFFICE, roles: { finder: { tools: ["search"] } } });
    expect(removedFrom(policy, "finder")).toHaveProperty("mcp__mail__search", ["not-in-tool-set"]);
  });

  it("may name built-in tools and tools of configured servers that nothing declares yet (E2)", () => {
    const roles = { coder: { tools: ["Read", "mcp__web__*", "mcp__mail__dance"] } };
    expect(removedFrom(definePolicy({ ...OFFICE, roles }), "coder")).not.toHaveProperty("mcp__web__search");
  });

  it.each([
    "Reed",
    "mcp__ghost__*",
    "mcp__mail",
    "constructor",
    "post_*",
  ])("that names %s, which nothing declares, is refused (E2)", (tool) => {
    expect(() => definePolicy({ ...OFFICE, roles: { odd: { tools: [tool] } } })).toThrow(InvalidToolError);
  });

  it("may name what is declared, though its server doesn't offer it now", () => {
    expect(() => withOffered(definePolicy(OFFICE), "mail", [])).not.toThrow();
  });

  it("gets the tools of its patterns as servers come to offer them (E2)", () => {
    const roles = { mailer: { tools: ["mcp__mail__*"] } };
    const policy = withOffered(definePolicy({ ...OFFICE, roles }), "mail", ["send", "dance"]);
    expect(removedFrom(policy, "mailer")).toEqual({
      mcp__web__search: ["not-in-tool-set"],
      note: ["not-in-tool-set"],
    });
  });
});
