import { describe, expect, test } from "vitest";
import { definePolicy } from "../policy/policy.ts";
import { toWorkspaceDeclaration, WORKSPACE_TOOLS } from "./workspace-tools.ts";

const policyOf = (...options: Parameters<typeof toWorkspaceDeclaration>) =>
  definePolicy({
    ...(options[1] && { levels: options[1] }),
    servers: { workspace: toWorkspaceDeclaration(...options) },
  });

describe("the tools of a workspace", () => {
  test("are all classified: reading is free, anything else asks and may be released", () => {
    const { tools } = policyOf();
    expect(tools.size).toBe(Object.keys(WORKSPACE_TOOLS).length);
    for (const [name, kind] of Object.entries(WORKSPACE_TOOLS)) {
      const tool = tools.get(`mcp__workspace__${name}`);
      const isReading = kind === "read";
      expect(tool).toMatchObject({
        name,
        classified: true,
        approval: isReading ? "never" : "always",
        onViolation: isReading ? "deny" : "ask",
      });
      expect(tool?.permissions.includes("write")).toBe(!isReading);
      expect(tool?.permissions.includes("connect")).toBe(kind === "process");
    }
  });

  test("bring in the label of the files, and take what the files may hold", () => {
    const source = { level: "secret", categories: ["hr"], trust: "untrusted" };
    const { tools } = policyOf({ source });
    for (const tool of tools.values()) expect(tool.source).toMatchObject(source);
    expect(tools.get("mcp__workspace__Write")?.clearances).toMatchObject([source]);
    expect(tools.get("mcp__workspace__Bash")?.clearances).toMatchObject([
      { level: "public", categories: [] },
    ]);
    expect(tools.get("mcp__workspace__Read")?.clearances).toBeNull();
  });

  test("take the lowest level where nothing is said, whatever it is called", () => {
    const { tools } = policyOf({}, ["low", "high"]);
    for (const name of ["Write", "rename", "run_command"])
      expect(tools.get(`mcp__workspace__${name}`)?.clearances).toMatchObject([{ level: "low" }]);
  });

  test("do what a policy says of them, and are not added to by it", () => {
    const { tools } = policyOf({
      tools: {
        Write: { approval: "never", onViolation: "deny", sink: [{ level: "secret" }], tags: ["files"] },
        zebra: { approval: "never" },
      },
    });
    expect(tools.get("mcp__workspace__Write")).toMatchObject({
      approval: "never",
      onViolation: "deny",
      clearances: [{ level: "secret" }],
      tags: ["files"],
      permissions: ["read", "write"],
    });
    expect(tools.has("mcp__workspace__zebra")).toBe(false);
    expect(tools.get("mcp__workspace__Edit")).toMatchObject({ approval: "always" });
  });
});
