import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { testRepositories } from "../../../../test/fixtures/git-repository.ts";
import { inTurnOf } from "../../../threads/index.ts";
import { ownedBy } from "../../../threads/owner.test-kit.ts";
import { type ProgramCall, startRunner } from "./runner.ts";

const folder = testRepositories().folder();
const runner = startRunner();
afterAll(runner.close);

const shell = (script: string, more: Partial<ProgramCall> = {}): ProgramCall => ({
  file: "/bin/sh",
  args: ["-c", script],
  cwd: folder.root,
  env: { PATH: "/usr/bin:/bin" },
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
  ...more,
});

const isGone = (pid: string): boolean => {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
};

/** Waits until something holds, with a bound. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  let held = holds();
  while (!held && performance.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
    held = holds();
  }
  expect(held).toBe(true);
}

describe("the runner", () => {
  it("gives back what a program says, byte by byte, and how it ended", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
    const end = await runner.run(shell("cat; echo no >&2; exit 3", { input: bytes }));
    expect({ ...end, stdout: end.stdout.equals(bytes), stderr: end.stderr.toString() }).toEqual({
      code: 3,
      signal: null,
      stdout: true,
      stderr: "no\n",
      timedOut: false,
      truncated: false,
    });
  });

  it("hands on the environment that is given, and nothing of the gateway's", async () => {
    process.env.GIT_DIR = "/elsewhere";
    try {
      const { stdout } = await runner.run({ ...shell(""), file: "/usr/bin/env", args: [], env: { A: "1" } });
      expect(stdout.toString()).toBe("A=1\n");
    } finally {
      delete process.env.GIT_DIR;
    }
    const own = readFileSync(`/proc/${runner.pid}/environ`, "utf8");
    expect(own).not.toMatch(/GIT_|NODE_OPTIONS|PATH|HOME/);
  });

  it("keeps apart what runs at the same time", async () => {
    const many = Array.from({ length: 40 }, (_, at) => runner.run(shell(`echo ${at}`)));
    const said = (await Promise.all(many)).map(({ stdout }) => Number(stdout.toString()));
    expect(said).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });

  it("keeps no question waiting for searches and commands", async () => {
    const leaving = new AbortController();
    const busy = (["search", "command"] as const).flatMap((lane) =>
      Array.from({ length: 20 }, () => runner.run(shell("sleep 100", { lane, signal: leaving.signal }))),
    );
    const ended = Promise.allSettled(busy);
    expect((await runner.run(shell("echo here"))).stdout.toString()).toBe("here\n");
    leaving.abort();
    expect((await ended).every(({ status }) => status === "rejected")).toBe(true);
  });

  it("lets label holders take turns, so that one agent's many calls delay another's by one (D3)", async () => {
    const order: string[] = [];
    const run = async (labelHolder: string): Promise<void> => {
      await inTurnOf(ownedBy(labelHolder), () => runner.run(shell("sleep 0.05")));
      order.push(labelHolder);
    };
    await Promise.all([...Array.from({ length: 40 }, () => run("greedy")), run("other")]);
    expect(order.indexOf("other")).toBeLessThan(16);
  });

  it("leaves places for others where commands of one session, or of one principal, take long (D3)", async () => {
    const leaving = new AbortController();
    const long = shell("sleep 100", { lane: "command", signal: leaving.signal });
    const short = shell("echo here", { lane: "command" });
    const floodBy = (labelHolder: string) =>
      Array.from({ length: 20 }, () => inTurnOf(ownedBy(labelHolder, "ada"), () => runner.run(long)));
    const first = floodBy("first");
    const sibling = await inTurnOf(ownedBy("sibling", "ada"), () => runner.run(short));
    const busy = Promise.allSettled([...first, ...floodBy("second")]);
    const other = await inTurnOf(ownedBy("other", "bob"), () => runner.run(short));
    expect([sibling, other].map(({ stdout }) => stdout.toString())).toEqual(["here\n", "here\n"]);
    leaving.abort();
    expect((await busy).every(({ status }) => status === "rejected")).toBe(true);
  });

  it("kills a program at its time limit, with all that it started", async () => {
    const end = await runner.run(shell("sleep 100 & echo $!; wait", { timeoutMs: 300 }));
    expect(end).toMatchObject({ code: null, signal: "SIGKILL", timedOut: true });
    await until(() => isGone(end.stdout.toString().trim()));
  });

  it("doesn't wait for what a program leaves behind, and ends it", async () => {
    const end = await runner.run(shell("sleep 100 & echo $!"));
    expect(end).toMatchObject({ code: 0, timedOut: false });
    await until(() => isGone(end.stdout.toString().trim()));
  });

  it("doesn't wait for what has left the group of its program either", async () => {
    const end = await runner.run(shell("setsid sleep 5 & echo ok", { timeoutMs: 20_000 }));
    expect(end).toMatchObject({ code: 0, stdout: Buffer.from("ok\n") });
  });

  it("ends a program that says more than it may, and keeps the beginning", async () => {
    const end = await runner.run(shell("yes", { maxBytes: 1000 }));
    expect(end).toMatchObject({ truncated: true, signal: "SIGKILL" });
    expect(end.stdout.toString()).toBe("y\n".repeat(500));
  });

  it("ends a program whose caller has left", async () => {
    const caller = new AbortController();
    const mark = folder.path("started");
    const run = runner.run(
      shell(`echo $$ > ${mark}.0; mv ${mark}.0 ${mark}; sleep 100`, { signal: caller.signal }),
    );
    const ended = expect(run).rejects.toThrow("left");
    await until(() => existsSync(mark));
    caller.abort(new Error("left"));
    await ended;
    await until(() => isGone(readFileSync(mark, "utf8").trim()));
    await expect(runner.run(shell("", { signal: caller.signal }))).rejects.toThrow("left");
  });

  it("says that a program can't be started", async () => {
    const broken = { ...shell(""), file: "/nonexistent/program" };
    await expect(runner.run(broken)).rejects.toMatchObject({ code: "upstream-failed" });
    await expect(runner.run(shell("", { cwd: "/nonexistent" }))).rejects.toMatchObject({
      code: "upstream-failed",
    });
  });

  it("fails what runs when it dies, and is there again for the next", async () => {
    const run = expect(runner.run(shell("sleep 100"))).rejects.toMatchObject({ code: "upstream-failed" });
    process.kill(runner.pid ?? 0, "SIGKILL");
    await run;
    expect(await runner.run(shell("echo again"))).toMatchObject({ stdout: Buffer.from("again\n") });
  });

  it("keeps no program from ending, and ends with it", async () => {
    const program = `
      import { startRunner } from ${JSON.stringify(new URL("./runner.ts", import.meta.url).href)};
      const runner = startRunner();
      const { stdout } = await runner.run(${JSON.stringify(shell("echo done"))});
      console.log(stdout.toString().trim(), runner.pid);`;
    writeFileSync(folder.path("program.ts"), program);
    const child = spawn(process.execPath, [
      "--disable-warning=ExperimentalWarning",
      folder.path("program.ts"),
    ]);
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect([code, said]).toEqual([0, expect.stringMatching(/^done \d+\n$/)]);
    await until(() => isGone(said.split(" ")[1]?.trim() ?? ""));
  });
});
