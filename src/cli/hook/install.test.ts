import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder, run, sluicegate } from "../cli.test-kit.ts";
import { HOOK_POLICY } from "./hook.test-kit.ts";

const created = () => {
  const folder = createFolder({ "sluicegate.yaml": HOOK_POLICY });
  mkdirSync(join(folder.path, "work"));
  return folder;
};
const env = { HOOK_TEST_TOKEN: "x" };
const EVENT = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "one",
  cwd: "/",
  tool_name: "TodoWrite",
  tool_use_id: "toolu_1",
  tool_input: {},
});

describe("sluicegate hook install", () => {
  it("writes a command that an agent's shell can start from anywhere, and takes it back", async () => {
    using folder = created();
    const at = { cwd: folder.path, env, started: true };
    const settings = join(folder.path, ".claude/settings.json");
    const installed = await sluicegate(["hook", "install", "claude-code", "--wait", "0", "--json"], at);
    expect(installed.json()).toMatchObject({ settings, changed: true, hook: { timeout: 30 } });
    const { hooks } = JSON.parse(readFileSync(settings, "utf8"));
    const { command, timeout } = hooks.PreToolUse[0].hooks[0];
    expect([timeout, command]).toEqual([30, expect.stringMatching(/\|\| exit 2$/)]);
    // The hook keeps the agent from the very file that it stands in.
    expect(command).toContain(`--settings '${settings}'`);
    const asked = await run("/bin/sh", ["-c", command], { input: EVENT, cwd: "/" });
    expect(asked.json()).toMatchObject({ hookSpecificOutput: { permissionDecision: "allow" } });
    expect((await sluicegate(["hook", "install", "claude-code", "--wait", "0"], at)).out).toContain(
      "already",
    );
    expect((await sluicegate(["hook", "remove", "claude-code"], at)).out).toContain("is out of");
    expect(existsSync(settings)).toBe(false);
    expect((await sluicegate(["hook", "remove", "claude-code"], at)).out).toContain("no hook");
  });

  it("says no to every call once what it starts is gone", async () => {
    using folder = created();
    const at = { cwd: folder.path, env, started: true };
    await sluicegate(["hook", "install", "claude-code", "--settings", "s.json"], at);
    const { hooks } = JSON.parse(readFileSync(join(folder.path, "s.json"), "utf8"));
    const command: string = hooks.PreToolUse[0].hooks[0].command.replaceAll(
      /\b(?:main|start)\.[jt]s\b/g,
      "gone.js",
    );
    const { status } = spawnSync("/bin/sh", ["-c", command], { input: EVENT });
    expect(status).toBe(2);
  });

  it.each([
    [["hook", "install", "cursor"], "no hook for this agent"],
    [["hook", "install", "claude-code", "--role", "boss"], "no such role"],
    [["hook", "install", "claude-code", "--config", "none.yaml"], "can't be read"],
    [["hook", "install", "claude-code", "--settings", "commented.json"], "plain JSON"],
    [["hook", "install", "claude-code", "--wait", "soon"], "whole number of seconds"],
    [["hook", "remove"], "agent"],
    [["hook"], "needs a command after it"],
    [["hook", "nonesuch"], "nonesuch"],
  ])("refuses %j in words, and changes nothing", async (args, words) => {
    using folder = created();
    writeFileSync(join(folder.path, "commented.json"), "{ // mine\n}");
    const ran = await sluicegate(args, { cwd: folder.path, env });
    expect([ran.status, ran.err]).toEqual([2, expect.stringContaining(words)]);
    expect(existsSync(join(folder.path, ".claude"))).toBe(false);
    expect(readFileSync(join(folder.path, "commented.json"), "utf8")).toBe("{ // mine\n}");
  });

  it("explains each of its commands", async () => {
    for (const words of [["hook"], ["hook", "claude-code"], ["hook", "install"], ["hook", "remove"]]) {
      const { status, out } = await sluicegate([...words, "--help"]);
      expect([status, out]).toEqual([0, expect.stringContaining("Usage: sluicegate hook")]);
    }
  });
});
