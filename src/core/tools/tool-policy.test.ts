import { describe, expect, it } from "vitest";
import { definePolicy, tighten, withOffered } from "../policy/policy.ts";
import type { ToolDeclaration } from "./tool.ts";
import type { ToolPolicy } from "./tool-policy.ts";

const READ: ToolDeclaration = { permissions: ["read"] };

const policy = withOffered(
  definePolicy({
    servers: {
      mail: { tools: { send: { permissions: ["connect"], tags: ["mail", "out"] }, search: READ } },
      mail_x: { tools: { post: READ } },
      web: { tools: { search: READ } },
      evil: {},
    },
    tools: { own: READ, constructor: READ },
  }),
  "evil",
  ["send"],
);

/** What a stack of tool policies takes a tool away for. */
const removals = (id: string, ...limits: readonly ToolPolicy[]): readonly string[] =>
  limits.reduce(tighten, policy).removed.get(id) ?? [];

const denies = (entry: string, id: string): boolean => removals(id, { deniedTools: [entry] }).length > 0;
const allows = (entry: string, id: string): boolean => removals(id, { allowedTools: [entry] }).length === 0;

describe("a deny entry", () => {
  it.each([
    ["an identity", "mcp__mail__send", "mcp__mail__send"],
    ["a server and a tool", "mail__send", "mcp__mail__send"],
    ["a short name", "send", "mcp__mail__send"],
    ["a short name that several tools have, each", "search", "mcp__web__search"],
    ["a short name that a classified tool has, of an unclassified one", "send", "mcp__evil__send"],
    ["a pattern over identities", "mcp__*__s*", "mcp__mail__send"],
    ["a server's pattern", "mcp__web__*", "mcp__web__search"],
    ["a pattern over short names", "se*", "mcp__mail__search"],
    ["a pattern over server and tool", "mail__*", "mcp__mail__send"],
    ["all", "*", "mcp__mail__send"],
    ["a short name in another case", "SEND", "mcp__mail__send"],
    ["a pattern in another case", "mcp__*__S*", "mcp__mail__send"],
    ["the agent's own name", "own", "own"],
    ["a name that every object has", "constructor", "constructor"],
  ])("reaches a tool by %s (B1)", (_, entry, id) => {
    expect(denies(entry, id)).toBe(true);
  });

  it.each([
    ["another tool", "send", "mcp__mail__search"],
    ["another server", "mcp__web__*", "mcp__mail__search"],
    ["a server whose name begins alike", "mcp__mail__*", "mcp__mail_x__post"],
    ["a server whose name begins alike, by server and tool", "mail__*", "mcp__mail_x__post"],
    ["the agent's own tool by a server's pattern", "mcp__*__*", "own"],
    ["a tool by what its name begins with", "sen", "mcp__mail__send"],
  ])("doesn't reach %s (B1)", (_, entry, id) => {
    expect(denies(entry, id)).toBe(false);
  });

  it.each([
    "mcp__*",
    "mcp__mail",
    "mcp__mail__",
    "mcp____send",
    "mcp__",
    "",
  ])("that could never match is refused rather than let everything through: %s (law-9)", (entry) => {
    expect(() => tighten(policy, { deniedTools: [entry] })).toThrow(
      expect.objectContaining({ code: "policy-invalid" }),
    );
  });
});

describe("an allow entry", () => {
  it.each([
    ["an identity", "mcp__mail__send", "mcp__mail__send"],
    ["a server and a tool", "mail__search", "mcp__mail__search"],
    ["a short name that means it alone", "send", "mcp__mail__send"],
    ["a server's pattern", "mcp__web__*", "mcp__web__search"],
    ["a pattern over its short name", "sen*", "mcp__mail__send"],
    ["a pattern over server and tool, though its short name is the one shown", "mail__*", "mcp__mail__send"],
    ["all", "*", "own"],
  ])("lets a tool pass by %s (B1)", (_, entry, id) => {
    expect(allows(entry, id)).toBe(true);
  });

  it.each([
    ["a short name that could mean another", "search", "mcp__mail__search"],
    ["a pattern over a short name that could mean another", "searc*", "mcp__mail__search"],
    ["a short name that means a classified one", "send", "mcp__evil__send"],
    ["a pattern over a short name that isn't its own", "sen*", "mcp__evil__send"],
    ["a server whose name begins alike", "mcp__mail__*", "mcp__mail_x__post"],
    ["a name that nothing has", "__proto__", "mcp__mail__send"],
  ])("doesn't let a tool pass by %s (B1)", (_, entry, id) => {
    expect(allows(entry, id)).toBe(false);
  });
});

describe("a stack of tool policies", () => {
  it.each<[string, readonly ToolPolicy[], readonly string[]]>([
    ["keeps a tool where there is none", [], []],
    ["keeps a tool where the policies say nothing", [{}, {}], []],
    ["keeps a tool where its lists are empty", [{ deniedTools: [], requireTags: [] }], []],
    ["takes all tools where an allow list is empty", [{ allowedTools: [] }], ["denied-by-policy"]],
    ["keeps what is allowed", [{ allowedTools: ["own", "send"] }], []],
    ["takes what isn't allowed", [{ allowedTools: ["own"] }], ["denied-by-policy"]],
    [
      "takes what is denied, though it is allowed",
      [{ allowedTools: ["send"], deniedTools: ["send"] }],
      ["denied-by-policy"],
    ],
    ["keeps a tool with all tags", [{ requireTags: ["out", "mail"] }], []],
    ["takes a tool that lacks one of the tags", [{ requireTags: ["mail", "tame"] }], ["missing-tag"]],
    [
      "tells both, the denial first",
      [{ requireTags: ["tame"] }, { deniedTools: ["send"] }],
      ["denied-by-policy", "missing-tag"],
    ],
    [
      "takes what any one of them takes",
      [{ allowedTools: ["send"] }, { allowedTools: ["own"] }],
      ["denied-by-policy"],
    ],
    [
      "gives nothing back that another took",
      [{ deniedTools: ["send"] }, { allowedTools: ["send"] }],
      ["denied-by-policy"],
    ],
    [
      "says what it says once, however often it is said",
      [{ deniedTools: ["send"] }, { deniedTools: ["*", "*"] }],
      ["denied-by-policy"],
    ],
  ])("%s (B1, law-1)", (_, stack, expected) => {
    expect(removals("mcp__mail__send", ...stack)).toEqual(expected);
  });
});
