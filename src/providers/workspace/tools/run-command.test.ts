import { mkdirSync, renameSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestWorkspace, type TestWorkspace } from "../workspace.test-kit.ts";
import { environment } from "./run-command.ts";

let place: TestWorkspace;
beforeEach(() => {
  place = openTestWorkspace({ "a.txt": "a" });
});
afterEach(() => place.close());

describe("running a command", () => {
  it.each([
    "run_command",
    "Bash",
  ])("by %s says how it ended and what it wrote, after a yes (D3, E6)", async (tool) => {
    const args = { command: "pwd; ls; echo wrong >&2; exit 3" };
    expect(await place.tool(tool).needsApproval(args)).toBe(true);
    await expect(place.call(tool, args)).rejects.toMatchObject({ code: "approval-needed" });
    expect(await place.granted(tool, args)).toBe(
      `Exit code: 3\nstdout:\n${place.root}\na.txt\n\nstderr:\nwrong\n`,
    );
  });

  it("takes what coding agents say besides (E6)", async () => {
    const args = { command: "echo hi", description: "Says hi", timeout: 60_000 };
    expect(await place.granted("Bash", args)).toBe("Exit code: 0\nstdout:\nhi\n");
  });

  it("ends it with all that it started once its time is over (D3)", async () => {
    const command = "(while :; do echo x >> beat; sleep 0.02; done) & sleep 60";
    expect(await place.granted("run_command", { command, timeout: 400 })).toContain("ended after 400 ms");
    const beat = place.get("beat");
    await place.granted("run_command", { command: "sleep 0.2" });
    expect(place.get("beat")).toBe(beat);
  });

  it("shows the beginning and the end of a long output (D3)", async () => {
    const text = await place.granted("run_command", { command: "seq 1 200000" });
    expect(text.length).toBeLessThan(60_000);
    expect(text).toMatch(/^Exit code: 0\nstdout:\n1\n2\n[\s\S]*bytes left out[\s\S]*\n200000\n$/);
  });

  it("runs in the folder that was examined, and in no other (D2)", async () => {
    const late = place.granted("run_command", { command: "touch ran" }, () => {
      renameSync(place.root, `${place.root}-old`);
      mkdirSync(place.root);
    });
    await expect(late).rejects.toMatchObject({ code: "target-changed" });
  });

  it("ends with its workspace (D3)", async () => {
    const running = place.granted("run_command", { command: "touch started; sleep 60" });
    running.catch(() => undefined);
    await expect.poll(() => place.has("started"), { timeout: 10_000 }).toBe(true);
    place.workspace.close();
    await expect(running).rejects.toThrow();
  });

  it("gives it nothing of ours: no token, no setting, no relative folder on its path (D3)", () => {
    expect(
      environment({
        PATH: "/bin:.::rel:/usr/bin",
        HOME: "/h",
        LC_ALL: "C",
        SLUICEGATE_TOKEN: "secret",
        OPENAI_API_KEY: "secret",
        NODE_OPTIONS: "--require x",
        LD_PRELOAD: "x",
        BASH_ENV: "x",
      }),
    ).toEqual({ PATH: "/bin:/usr/bin", HOME: "/h", LC_ALL: "C", TERM: "dumb" });
  });
});
