import { describe, expect, it } from "vitest";
import { readRoles, toolsOfRoles } from "./read-roles.ts";

type Given = Parameters<typeof readRoles>[0];
const policy = (tools: readonly string[], roles: Readonly<Record<string, string[]>>): Given => ({
  tools: tools.map((tool) => ({ tool }) as Given["tools"][number]),
  roles: Object.entries(roles).map(([name, own]) => ({ name, permissions: null, tools: own })),
});

describe("roles", () => {
  it("have their tools in the policy's order, and lack the others", () => {
    const [role] = readRoles(policy(["a", "b", "c"], { one: ["c", "a"] }));
    expect(role).toMatchObject({ has: ["a", "c"], lacks: ["b"] });
  });

  it("keep a tool that the policy doesn't list", () => {
    expect(readRoles(policy(["a"], { one: ["later"] }))[0]).toMatchObject({ has: ["later"], lacks: ["a"] });
  });

  it("stand in a table where they and their tools are few", () => {
    expect(toolsOfRoles(readRoles(policy(["a", "b"], { one: ["a"], two: ["a", "b"] })))).toEqual(["a", "b"]);
    expect(toolsOfRoles([])).toBeNull();
    const many = Array.from({ length: 61 }, (_, at) => `t${at}`);
    expect(toolsOfRoles(readRoles(policy(many, { one: many })))).toBeNull();
  });
});
