import { describe, expect, it } from "vitest";
import { definePolicy, type Policy, type PolicyDeclaration, withOffered } from "../policy/policy.ts";
import { lookUp } from "./look-up.ts";
import type { ToolDeclaration } from "./tool.ts";

const READ: ToolDeclaration = { permissions: ["read"] };
const WRITE: ToolDeclaration = { permissions: ["write"] };
const CONNECT: ToolDeclaration = { permissions: ["connect"] };

const OFFICE: PolicyDeclaration = {
  servers: { mail: { tools: { send: CONNECT, search: READ } }, web: { tools: { search: CONNECT } } },
  tools: { note: WRITE },
};

const idsOf = (policy: Policy) => [...policy.tools.keys()];
const permissionsOf = (policy: Policy, name: string) => lookUp(policy, name).tool?.permissions ?? null;

describe("a key that declares a tool", () => {
  it.each([
    "mcp__mail",
    "mcp__*",
    "mcp__mail__",
    "mcp____send",
  ])("begins with `mcp__` only where it is a whole identity, unlike %s", (key) => {
    expect(() => definePolicy({ tools: { [key]: READ } })).toThrow(
      expect.objectContaining({ code: "policy-invalid" }),
    );
  });

  it("may be an identity of a server that nobody configured", () => {
    expect(idsOf(definePolicy({ tools: { mcp__crm__query: READ } }))).toEqual(["mcp__crm__query"]);
  });
});

describe("a server's list", () => {
  it("takes away what is declared and not offered", () => {
    expect(idsOf(withOffered(definePolicy(OFFICE), "mail", ["search"]))).toEqual([
      "mcp__mail__search",
      "mcp__web__search",
      "note",
    ]);
  });

  it("may be empty", () => {
    expect(idsOf(withOffered(definePolicy(OFFICE), "mail", []))).toEqual(["mcp__web__search", "note"]);
  });

  it("replaces the one before it", () => {
    const policy = withOffered(withOffered(definePolicy(OFFICE), "mail", []), "mail", ["send"]);
    expect(idsOf(policy)).toContain("mcp__mail__send");
  });

  it("names a tool once, however often it is listed", () => {
    const policy = withOffered(definePolicy({ servers: { mail: {} } }), "mail", ["dance", "dance"]);
    expect(idsOf(policy)).toEqual(["mcp__mail__dance"]);
  });

  it("adds what nobody classified as the worst of both kinds (law-2)", () => {
    const policy = withOffered(definePolicy(OFFICE), "mail", ["send", "dance"]);
    expect(policy.tools.get("mcp__mail__dance")).toMatchObject({
      name: "dance",
      classified: false,
      approval: "always",
      permissions: ["read", "write", "connect"],
    });
  });

  it("classifies by pattern what isn't declared by name", () => {
    const declared = { servers: { mail: { tools: { "get_*": READ, send: CONNECT } } } };
    const policy = withOffered(definePolicy(declared), "mail", ["get_one", "send", "put_one"]);
    expect([...policy.tools.values()].map(({ name, classified }) => [name, classified])).toEqual([
      ["send", true],
      ["get_one", true],
      ["put_one", false],
    ]);
  });

  it.each([
    ["an empty name", ""],
    ["a name that begins with `__`", "__dance"],
  ])("has no tool by %s that could be taken for another's", (_, name) => {
    const policy = withOffered(definePolicy({ servers: { mail: {} }, tools: { "*": READ } }), "mail", [name]);
    expect([...policy.tools.values()].filter((tool) => tool.server !== "mail")).toEqual([]);
  });

  it("of a server that nobody configured brings in nothing but unclassified tools", () => {
    const policy = withOffered(definePolicy(OFFICE), "constructor", ["send"]);
    expect(policy.tools.get("mcp__constructor__send")?.classified).toBe(false);
  });

  it("can't take over a name that a declared tool has", () => {
    const policy = withOffered(definePolicy(OFFICE), "web", ["search", "send", "note"]);
    expect(["send", "note", "web__send"].map((name) => lookUp(policy, name).tool?.id)).toEqual([
      "mcp__mail__send",
      "note",
      "mcp__web__send",
    ]);
  });

  it("takes no name from the tools that it doesn't name any more: no other server gets it (X12-pins)", () => {
    const declared = { servers: { mail: { tools: { send: CONNECT } }, evil: { tools: { "*": CONNECT } } } };
    const roles = { sender: { tools: ["send"] } };
    const both = withOffered(definePolicy({ ...declared, roles }), "evil", ["send", "Send"]);
    for (const policy of [both, withOffered(both, "mail", [])]) {
      expect(["send", "Send"].map((name) => lookUp(policy, name).tool?.server ?? null)).toEqual([
        policy === both ? "mail" : null,
        null,
      ]);
      expect(
        [...(policy.roles.get("sender")?.removed.keys() ?? [])].filter((id) => !id.includes("/")),
      ).toEqual(["mcp__evil__send", "mcp__evil__Send"]);
    }
  });

  it("doesn't give a name that it takes away to the agent's own tools that `*` stands for (X12-pins)", () => {
    const declared = { servers: { mail: { tools: { send: CONNECT } } }, tools: { "*": READ } };
    expect(lookUp(withOffered(definePolicy(declared), "mail", []), "send").tool).toBeNull();
  });

  it("with a hostile name is a name like any other", () => {
    const odd = ["__proto__", "constructor", "a\u202eb", "x".repeat(1000), "*"];
    const policy = withOffered(definePolicy({ servers: { mail: {} } }), "mail", odd);
    expect([...policy.tools.values()].map(({ name }) => name)).toEqual(
      odd.map((name) => (name.includes("\u202e") ? `mcp__mail__${name}` : name)),
    );
  });
});

describe("a pattern that declares tools", () => {
  const policy = definePolicy({
    servers: { mail: { tools: { "*": READ, "send_*": CONNECT, send_me: WRITE } }, web: {} },
    tools: {
      "*": { permissions: [], approval: "always" },
      "mcp__*__send_x*": WRITE,
      "own_*": READ,
    },
  });

  it.each([
    ["by name, whatever patterns match", "mcp__mail__send_me", ["write"]],
    ["by the server's pattern", "mcp__mail__search", ["read"]],
    ["by the more specific of the server's", "mcp__mail__send_it", ["connect"]],
    ["by the most specific of all, at the top or under the server", "mcp__mail__send_xyz", ["connect"]],
    ["by a pattern at the top where its server has none", "mcp__web__send_xyz", ["write"]],
    ["by `*` where nothing else matches", "mcp__web__search", []],
    ["by a pattern over the agent's own tools", "own_tool", ["read"]],
    ["by `*`, for the agent's own tools too", "constructor", []],
  ])("is beaten by what is more specific: %s", (_, name, permissions) => {
    expect(permissionsOf(policy, name)).toEqual(permissions);
  });

  it.each([
    ["a server that nobody configured", "mcp__ghost__search"],
    ["a server called like a property", "mcp__constructor__search"],
    ["an identity without a tool", "mcp__mail__"],
    ["an identity without a server", "mcp____search"],
  ])("declares nothing of %s", (_, name) => {
    expect(lookUp(policy, name)).toEqual({ tool: null, candidates: [] });
  });

  it("declares no more than what its server offers, once that is known", () => {
    const known = withOffered(policy, "mail", ["search"]);
    expect(lookUp(known, "mcp__mail__search").tool?.permissions).toEqual(["read"]);
    expect(lookUp(known, "mcp__mail__send_it").tool).toBeNull();
  });

  it("gives way to the first in the alphabet of those that are as specific", () => {
    const tied = (...keys: string[]) =>
      permissionsOf(
        definePolicy({ tools: Object.fromEntries(keys.map((key) => [key, key === "a*" ? READ : WRITE])) }),
        "ab",
      );
    expect([tied("a*", "*b"), tied("*b", "a*")]).toEqual([["write"], ["write"]]);
  });

  it("shows the tools that it declares by the name that they were called", () => {
    expect(lookUp(policy, "mcp__web__search").tool).toMatchObject({
      name: "mcp__web__search",
      server: "web",
    });
    expect(lookUp(policy, "own_tool").tool).toMatchObject({ name: "own_tool", server: null });
  });
});
