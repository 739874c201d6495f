import { describe, expect, it } from "vitest";
import { openHook, PLAIN_POLICY } from "./in-process.test-kit.ts";

const WITH_WEB = `${PLAIN_POLICY}tools:
  WebFetch: { permissions: [connect], source: { trust: untrusted }, sink: public }
`;

describe("the agent's own tools that a policy doesn't name", () => {
  it.each([
    ["AskUserQuestion", { questions: [] }, undefined],
    ["EnterPlanMode", {}, undefined],
    ["ExitPlanMode", { plan: "x" }, undefined],
    ["TodoWrite", { todos: [] }, "allow"],
    ["TaskCreate", { subject: "x" }, "allow"],
    ["TaskUpdate", { taskId: "1" }, "allow"],
    ["Task", { prompt: "x" }, "allow"],
    ["Agent", { prompt: "x" }, "allow"],
    ["ToolSearch", { query: "x" }, "allow"],
    ["KillShell", { shell_id: "1" }, "allow"],
    ["BashOutput", { bash_id: "1" }, "allow"],
    ["Skill", { skill: "x" }, "deny"],
    ["WebSearch", { query: "x" }, "deny"],
    ["CronCreate", { prompt: "x" }, "deny"],
    ["ReadMcpResourceTool", { server: "x", uri: "y" }, "deny"],
  ])("%s with %j is answered with %s (D1)", async (tool, input, decision) => {
    await using hook = await openHook();
    expect((await hook.before(tool, input)).decision).toBe(decision);
    if (decision !== "deny") expect(await hook.after(tool, input, { text: "x" })).toEqual({});
  });

  it("ask a person where instructions come out of files, and bring in what a command would (C1-declared)", async () => {
    await using hook = await openHook({ policy: WITH_WEB });
    expect((await hook.before("Skill", { skill: "x" })).reason).toContain("waits for a person");
    expect((await hook.before("WebFetch", { url: "x" })).decision).toBe("allow");
    expect((await hook.before("TodoWrite", { todos: [] })).decision).toBe("allow");
    expect((await hook.before("WebFetch", { url: "x" })).decision).toBe("allow");
    expect((await hook.before("BashOutput", { bash_id: "1" })).decision).toBe("allow");
    expect((await hook.before("WebFetch", { url: "x" })).decision).toBe("deny");
  });

  it("are what the policy says where it says anything (E1)", async () => {
    const policy = `${PLAIN_POLICY}policy: { denied_tools: [AskUserQuestion] }
tools:
  TodoWrite: { permissions: [write], approval: always }
  ExitPlanMode: { permissions: [] }
`;
    await using hook = await openHook({ policy });
    expect((await hook.before("AskUserQuestion", {})).reason).toContain("policy takes it away");
    expect((await hook.before("TodoWrite", {})).reason).toContain("waits for a person");
    expect((await hook.before("ExitPlanMode", {})).decision).toBeUndefined();
    const inRole = await hook.before("ToolSearch", {}, { session: "role", settings: { role: "fixer" } });
    expect(inRole.reason).toContain("The role `fixer` doesn't have it");
  });

  it("are withheld in one sentence that names a way out that is there", async () => {
    await using hook = await openHook();
    await hook.before("Read", { file_path: "notes.md" });
    const { reason } = await hook.before("WebSearch", { query: "x" });
    expect(reason).toContain("Ask the operator to classify it");
    expect(reason).not.toMatch(/Call `|\n/);
  });
});
