import { describe, expect, it } from "vitest";
import { definePolicy, type Policy, withOffered } from "./policy.ts";
import { approvalInRole, type RoleApprovalDeclaration, toRoleApproval } from "./roles.ts";

const policy = withOffered(
  withOffered(
    definePolicy({
      servers: {
        mail: { tools: { send: { permissions: [] } } },
        web: { tools: { send: { permissions: [] } } },
      },
      tools: { "mcp__mail__*": { permissions: [] }, pay: { permissions: [] } },
    }),
    "mail",
    ["send", "drop"],
  ),
  "web",
  ["send"],
);

function said(approval: RoleApprovalDeclaration, id: string, by: Policy = policy) {
  const tool = by.tools.get(id) ?? expect.fail(`no tool ${id}`);
  const compiled = toRoleApproval(approval);
  return compiled && approvalInRole(compiled, tool, by.names);
}

describe("what a role says of a tool's approval", () => {
  it.each<[string, RoleApprovalDeclaration, string, "always" | "never" | null]>([
    ["nothing, where no entry matches", { pay: "always" }, "mcp__mail__drop", null],
    ["its own identity", { mcp__mail__drop: "never" }, "mcp__mail__drop", "never"],
    ["the server's name and its own", { mail__drop: "never" }, "mcp__mail__drop", "never"],
    ["its short name", { drop: "always" }, "mcp__mail__drop", "always"],
    ["a pattern", { "mcp__mail__*": "never" }, "mcp__mail__drop", "never"],
    ["a name before a pattern", { "*": "always", drop: "never" }, "mcp__mail__drop", "never"],
    ["a name before a pattern, for always", { "*": "never", drop: "always" }, "mcp__mail__drop", "always"],
    ["always before never among names", { drop: "always", mail__drop: "never" }, "mcp__mail__drop", "always"],
    [
      "always before never among patterns",
      { "*": "never", "mcp__mail__*": "always" },
      "mcp__mail__drop",
      "always",
    ],
    ["always, by a name that it shares", { send: "always" }, "mcp__mail__send", "always"],
    ["nothing, by a name that it shares, where that says never", { send: "never" }, "mcp__mail__send", null],
    [
      "never, by a pattern that takes its whole name too",
      { "s*": "never", "mail__s*": "never" },
      "mcp__mail__send",
      "never",
    ],
    ["nothing, by a pattern that takes the shared name alone", { "s*": "never" }, "mcp__mail__send", null],
  ])("counts %s (D1)", (_, approval, id, expected) => {
    expect(said(approval, id)).toBe(expected);
  });

  it("is nothing at all without an entry", () => {
    expect(toRoleApproval(undefined)).toBeNull();
    expect(toRoleApproval({})).toBeNull();
  });

  it("is the same in whatever order it is written (law-1)", () => {
    const entries = [
      ["*", "never"],
      ["mcp__mail__*", "always"],
      ["drop", "never"],
    ] as const;
    for (const order of [entries, [...entries].reverse()])
      expect(said(Object.fromEntries(order), "mcp__mail__drop")).toBe("never");
  });

  it("is refused for an entry that could match no tool, or that says neither", () => {
    expect(() => toRoleApproval({ mcp__mail: "never" })).toThrow(
      expect.objectContaining({ code: "policy-invalid" }),
    );
    // Code without types, or a typo, may say anything; passed over, the tool would not ask.
    const wrong = { pay: "Always" } as unknown as RoleApprovalDeclaration;
    expect(() =>
      definePolicy({ tools: { pay: { permissions: [] } }, roles: { r: { approval: wrong } } }),
    ).toThrow(expect.objectContaining({ code: "policy-invalid" }));
  });

  it("is refused for a name that nobody declares (E2)", () => {
    expect(() => definePolicy({ roles: { r: { approval: { nowhere: "never" } } } })).toThrow(
      expect.objectContaining({ name: "InvalidToolError" }),
    );
  });

  it("can't be changed at run time", () => {
    const compiled = toRoleApproval({ pay: "never" });
    expect([compiled, compiled?.names, compiled?.patterns].every(Object.isFrozen)).toBe(true);
  });
});
