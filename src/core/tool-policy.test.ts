import { describe, expect, it } from "vitest";
import { DEFAULT_LATTICE } from "./label.ts";
import { createToolNames } from "./names.ts";
import { defineTool } from "./tool.ts";
import { isAllowed, isDenied, removalOf, type ToolPolicy } from "./tool-policy.ts";

const IDS = ["mcp__mail__send", "mcp__mail__search", "mcp__web__search", "own", "constructor"];
const names = createToolNames(IDS, ["mcp__evil__send"]);
const tool = (id: string, ...tags: string[]) =>
  defineTool(DEFAULT_LATTICE, id, names.shown(id), { permissions: ["read"], tags });

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
    ["the agent's own name", "own", "own"],
    ["a name that every object has", "constructor", "constructor"],
  ])("reaches a tool by %s (B1)", (_, entry, id) => {
    expect(isDenied(entry, tool(id), names)).toBe(true);
  });

  it.each([
    ["another tool", "send", "mcp__mail__search"],
    ["another server", "mcp__web__*", "mcp__mail__search"],
    ["a server that begins alike", "mcp__mail__*", "mcp__mail_x__send"],
    ["another case", "SEND", "mcp__mail__send"],
    ["the agent's own tool by a server's pattern", "mcp__*__*", "own"],
    ["anything, where it is empty", "", "mcp__mail__send"],
  ])("doesn't reach %s (B1)", (_, entry, id) => {
    expect(isDenied(entry, tool(id), names)).toBe(false);
  });
});

describe("an allow entry", () => {
  it.each([
    ["an identity", "mcp__mail__send", "mcp__mail__send"],
    ["a server and a tool", "mail__search", "mcp__mail__search"],
    ["a short name that means it alone", "send", "mcp__mail__send"],
    ["a server's pattern", "mcp__web__*", "mcp__web__search"],
    ["a pattern over the name that is shown", "se*", "mcp__mail__send"],
    ["all", "*", "own"],
  ])("lets a tool pass by %s (B1)", (_, entry, id) => {
    expect(isAllowed(entry, tool(id), names)).toBe(true);
  });

  it.each([
    ["a short name that could mean another", "search", "mcp__mail__search"],
    ["a short name that means a classified one", "send", "mcp__evil__send"],
    ["a pattern over a short name that isn't its own", "sen*", "mcp__evil__send"],
    ["a server that begins alike", "mcp__mail_*", "mcp__mail__send"],
    ["a name that nothing has", "__proto__", "mcp__mail__send"],
    ["an empty name", "", "own"],
  ])("doesn't let a tool pass by %s (B1)", (_, entry, id) => {
    expect(isAllowed(entry, tool(id), names)).toBe(false);
  });
});

describe("a stack of tool policies", () => {
  const send = tool("mcp__mail__send", "mail", "out");

  it.each<[string, ToolPolicy[], string | null]>([
    ["keeps a tool where there is none", [], null],
    ["keeps a tool where the policies say nothing", [{}, {}], null],
    ["keeps a tool where its lists are empty", [{ deniedTools: [], requireTags: [] }], null],
    ["takes all tools where an allow list is empty", [{ allowedTools: [] }], "denied-by-policy"],
    ["keeps what is allowed", [{ allowedTools: ["other", "send"] }], null],
    ["takes what is allowed nowhere", [{ allowedTools: ["other"] }], "denied-by-policy"],
    [
      "takes what is denied, though it is allowed",
      [{ allowedTools: ["send"], deniedTools: ["send"] }],
      "denied-by-policy",
    ],
    [
      "takes a denied tool before it asks for tags",
      [{ deniedTools: ["send"], requireTags: ["x"] }],
      "denied-by-policy",
    ],
    [
      "takes a tool outside the allow list before it asks for tags",
      [{ allowedTools: [], requireTags: ["x"] }],
      "denied-by-policy",
    ],
    ["keeps a tool with all tags", [{ requireTags: ["out", "mail"] }], null],
    ["takes a tool that lacks one of the tags", [{ requireTags: ["mail", "x"] }], "missing-tag"],
    [
      "takes what any one of them takes",
      [{ allowedTools: ["send"] }, { allowedTools: ["own"] }],
      "denied-by-policy",
    ],
    [
      "gives nothing back that another took",
      [{ deniedTools: ["send"] }, { allowedTools: ["send"] }],
      "denied-by-policy",
    ],
  ])("%s (B1)", (_, stack, expected) => {
    expect(removalOf(stack, send, names)).toBe(expected);
  });
});
