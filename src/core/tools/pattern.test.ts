import { describe, expect, it } from "vitest";
import { isPattern, matchesToolId, matchesWildcard, specificity } from "./pattern.ts";

describe("a pattern over text", () => {
  it.each([
    ["send", "send"],
    ["", ""],
    ["*", ""],
    ["*", "anything at all"],
    ["**", "anything"],
    ["send_*", "send_"],
    ["send_*", "send_mail"],
    ["*_mail", "send_mail"],
    ["s*d*l", "send_mail"],
    ["*ab", "aab"],
    ["*a*b", "xaxbxab"],
    ["a*b*", "ab"],
    ["a.c", "a.c"],
    ["*\u202e*", "x\u202ey"],
  ])("%j matches %j", (pattern, text) => {
    expect(matchesWildcard(pattern, text)).toBe(true);
  });

  it.each([
    ["send", "Send"],
    ["send", "send_mail"],
    ["send", ""],
    ["", "send"],
    ["send_*", "send"],
    ["*_mail", "send_mails"],
    ["s*x", "send"],
    ["*a*b", "xbxa"],
    ["a*a", "a"],
    ["a.c", "abc"],
    ["[a-z]*", "abc"],
    ["(a|b)", "a"],
    ["?", "a"],
  ])("%j doesn't match %j", (pattern, text) => {
    expect(matchesWildcard(pattern, text)).toBe(false);
  });

  it("answers for long hostile texts", () => {
    const pattern = `${"a*".repeat(50)}b`;
    expect(matchesWildcard(pattern, "a".repeat(20_000))).toBe(false);
    expect(matchesWildcard(pattern, `${"a".repeat(20_000)}b`)).toBe(true);
  });

  it.each([
    ["*", true],
    ["mcp__mail__*", true],
    ["send", false],
    ["s.nd?", false],
  ])("is told from a name: %j is one, %s", (text, expected) => {
    expect(isPattern(text)).toBe(expected);
  });
});

describe("a pattern over identities", () => {
  it.each([
    ["mcp__mail__*", "mcp__mail__send"],
    ["mcp__mail__*", "mcp__mail__send__now"],
    ["mcp__*__send", "mcp__mail__send"],
    ["mcp__m*__s*", "mcp__mail__send"],
    ["mcp__mail__send", "mcp__mail__send"],
    ["*", "mcp__mail__send"],
    ["*", "send"],
    ["s*", "send"],
    ["send", "send"],
  ])("%s matches %s (E2)", (pattern, id) => {
    expect(matchesToolId(pattern, id)).toBe(true);
  });

  it.each([
    ["a server whose name begins alike", "mcp__mail__*", "mcp__mail_x__send"],
    ["another server", "mcp__mail__*", "mcp__web__mail__send"],
    ["a tool where the server differs", "mcp__*__send", "mcp__mail__sent"],
    ["an identity by its short name", "send", "mcp__mail__send"],
    ["an identity by a pattern over its short name", "s*", "mcp__mail__send"],
    ["the agent's own tool by a server's pattern", "mcp__*__*", "send"],
    ["the agent's own tool, though it looks like a server's", "mcp__*__*", "mcp____send"],
  ])("doesn't match %s (E2)", (_, pattern, id) => {
    expect(matchesToolId(pattern, id)).toBe(false);
  });
});

describe("the more specific pattern", () => {
  it.each([
    ["mcp__mail__send_*", "mcp__mail__*"],
    ["mcp__mail__*", "mcp__*"],
    ["s*", "*"],
    ["s*nd", "s*d"],
    ["mail", "mcp__mail__send_*"],
  ])("of two is %s, beside %s", (more, less) => {
    expect(specificity(more)).toBeGreaterThan(specificity(less));
  });

  it("doesn't depend on how many stars there are", () => {
    expect(specificity("a**b*")).toBe(specificity("ab*"));
  });
});
