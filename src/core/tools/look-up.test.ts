import { describe, expect, it } from "vitest";
import { definePolicy, type PolicyDeclaration, tighten, withOffered } from "../policy/policy.ts";
import { lookUp, removalsFor } from "./look-up.ts";
import type { ToolDeclaration } from "./tool.ts";

const READ: ToolDeclaration = { permissions: ["read"] };
const CONNECT: ToolDeclaration = { permissions: ["connect"] };

const OFFICE: PolicyDeclaration = {
  servers: { mail: { tools: { send: CONNECT, search: READ } }, web: { tools: { search: CONNECT } } },
  tools: { note: READ },
  roles: { reader: { tools: ["mail__search", "note"] } },
};

describe("a name that an agent gave", () => {
  const policy = definePolicy(OFFICE);

  it.each([
    ["mcp__mail__send", "mcp__mail__send"],
    ["mail__send", "mcp__mail__send"],
    ["send", "mcp__mail__send"],
    ["note", "note"],
  ])("%s means %s", (name, id) => {
    expect(lookUp(policy, name)).toEqual({ tool: policy.tools.get(id), candidates: [] });
  });

  it("that could mean two tools means neither", () => {
    expect(lookUp(policy, "search")).toEqual({
      tool: null,
      candidates: ["mcp__mail__search", "mcp__web__search"],
    });
  });

  it("that nothing has means nothing", () => {
    expect(lookUp(policy, "dance")).toEqual({ tool: null, candidates: [] });
  });

  it("that means nothing may be as long and as odd as it likes", () => {
    const odd = ["", "*", "mcp__*__*", "\ud800", "a\u202eb", "x".repeat(100_000), "__proto__"];
    expect(odd.map((name) => lookUp(policy, name).tool)).toEqual(odd.map(() => null));
  });

  it("of a server's tool means none where no server is configured", () => {
    const own = definePolicy({ tools: { "*": READ } });
    expect(lookUp(own, "mcp__mail__send")).toEqual({ tool: null, candidates: [] });
    expect(lookUp(own, "anything").tool).toMatchObject({ id: "anything", server: null });
  });

  it("of a tool that its server doesn't offer means none", () => {
    const known = withOffered(policy, "mail", ["search"]);
    expect(lookUp(known, "send")).toEqual({ tool: null, candidates: [] });
  });
});

describe("why a tool is unavailable", () => {
  const limited = tighten(definePolicy(OFFICE), { deniedTools: ["note"], requireTags: [] });
  const reader = limited.roles.get("reader") ?? null;
  const removals = (role: typeof reader, name: string) => {
    const { tool } = lookUp(limited, name);
    return tool && removalsFor(limited, role, tool);
  };

  it.each([
    ["nothing, for what nobody takes", null, "send", []],
    ["the policy over all", null, "note", ["denied-by-policy"]],
    ["the role", reader, "send", ["not-in-tool-set"]],
    ["the policy over all, in a role that has it", reader, "note", ["denied-by-policy"]],
    ["nothing, for what the role has", reader, "mail__search", []],
  ])("is %s (B1, law-1)", (_, role, name, expected) => {
    expect(removals(role, name)).toEqual(expected);
  });

  it.each([
    ["own_a", "owner", []],
    ["own_b", "owner", ["denied-by-policy"]],
    ["own_c", "owner", ["denied-by-policy"]],
    ["other", "owner", ["not-in-tool-set"]],
    ["mcp__mail__send", "owner", ["not-in-tool-set"]],
    ["other", "anyone", []],
    ["own_c", "nobody", ["denied-by-policy"]],
  ])("is told of a tool that a pattern alone declares: %s, to %s (B1)", (name, role, expected) => {
    const open = definePolicy({
      servers: { mail: {} },
      tools: { "*": READ, own_tool: READ },
      roles: { owner: { tools: ["own_*"], deniedTools: ["own_b"] }, anyone: {} },
      policy: { deniedTools: ["own_c"] },
    });
    const { tool } = lookUp(open, name);
    expect(tool && removalsFor(open, open.roles.get(role) ?? null, tool)).toEqual(expected);
  });
});
