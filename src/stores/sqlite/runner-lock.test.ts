import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { holdRunnerLock } from "./runner-lock.ts";

it("tells whether another process lives, until it is killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
  const store = join(folder, "store.db");
  const module = new URL("./runner-lock.ts", import.meta.url).href;
  const program = `import { holdRunnerLock } from ${JSON.stringify(module)};
    globalThis.held = holdRunnerLock(${JSON.stringify(store)}, "0123");
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const own = holdRunnerLock(store, "4567");
    const other = holdRunnerLock(store, "89ab");
    await once(child.stdout, "data");
    const look = () => ["0123", "4567", "89ab", "cdef", "../x"].map(own.isGone);
    expect(look()).toEqual([false, false, false, true, false]);
    other.release();
    expect(look()).toEqual([false, false, true, true, false]);
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    expect(look()).toEqual([true, false, true, true, false]);
    own.release();
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

it("removes the locks that killed processes left behind, and no other", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
  const store = join(folder, "store.db");
  const locks = `${store}-runners`;
  try {
    const own = holdRunnerLock(store, "4567");
    writeFileSync(join(locks, "0123"), "");
    writeFileSync(join(locks, "89ab"), "");
    writeFileSync(join(locks, "notes"), "");
    for (const name of ["0123", "4567", "notes"]) utimesSync(join(locks, name), 0, 0);
    const other = holdRunnerLock(store, "cdef");
    // A new one may belong to a process that is about to lock it.
    expect(readdirSync(locks).sort()).toEqual(["4567", "89ab", "cdef", "notes"]);
    expect(other.isGone("4567")).toBe(false);
    own.release();
    other.release();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
