import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { definePolicy } from "../../core/index.ts";
import { createGate } from "../../runtime/index.ts";
import { openSqliteStore } from "../../stores/index.ts";
import { createFolder, createStateStore, POLICY, sluicegate } from "../cli.test-kit.ts";

const OFFICE = definePolicy({
  tools: { search_email: { permissions: ["read"], source: { level: "internal" } } },
});

/** A folder with a store of one session of a year ago, and one of today. */
async function createStored() {
  const folder = createFolder({ "sluicegate.yaml": POLICY });
  const store = openSqliteStore(createStateStore(folder.path));
  const then = new Date(Date.now() - 365 * 86_400_000);
  const gate = createGate({ policy: OFFICE, store, clock: { now: () => then } });
  const old = await gate.open({ principal: "ada" });
  await old.call({ tool: "search_email" }, () => "mail");
  const young = await createGate({ policy: OFFICE, store }).open({ principal: "ada" });
  await gate.close();
  const run = (...args: string[]) => sluicegate([...args, "--json"], { cwd: folder.path });
  return { folder, old: old.id, young: young.id, run };
}

describe("sluicegate archive", () => {
  it("moves old sessions into a file; store and archive verify, and a changed archive doesn't (X27)", async () => {
    const { folder, old, young, run } = await createStored();
    using _ = folder;
    const file = join(folder.path, "old.jsonl");
    expect((await run("archive", "--before", "90d", "--to", file)).json()).toEqual({
      file,
      sessions: 1,
      in_use: 0,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [lines, again] = [readFileSync(file, "utf8"), await run("archive", "--before", "90d")];
    expect(lines.trim().split("\n")).toHaveLength(5);
    expect(again.json()).toMatchObject({ file: null, sessions: 0 });
    expect((await run("journal", "verify")).json()).toMatchObject({ ok: true, sessions: 2, entries: 2 });
    const verify = async () => await run("journal", "verify", "--archive", file);
    expect((await verify()).json()).toMatchObject({ ok: true, sessions: 1, entries: 4 });
    expect((await run("journal", "show", old)).out).toContain("archived");
    expect((await run("journal", "show", young)).out).not.toContain("archived");
    for (const changed of [
      lines.replace("search_email", "search_males"),
      lines.split("\n").toSpliced(1, 1).join("\n"),
      lines.split("\n").toSpliced(3, 1).join("\n"),
      lines.split("\n").slice(0, 4).join("\n"),
      lines.slice(0, -20),
    ]) {
      writeFileSync(file, changed);
      expect(await verify()).toMatchObject({ status: 1 });
    }
    // Without the store it came from it verifies, and with another one it doesn't.
    writeFileSync(file, lines);
    expect((await sluicegate(["journal", "verify", "--archive", file], { cwd: "/" })).status).toBe(0);
    using other = createFolder();
    await openSqliteStore(join(other.path, "s.db")).close();
    const elsewhere = await run("journal", "verify", "--archive", file, "--store", join(other.path, "s.db"));
    expect(elsewhere.status).toBe(1);
  });

  it.each([
    [["--before", "soon"], "`--before` is no age."],
    [["--before", "0d"], "`--before` is no age."],
    [["--before", "1d", "--to", "sluicegate.yaml"], "can't be written."],
    [["--before", "1d", "--to", "nowhere/a.jsonl"], "can't be written."],
  ])("refuses %j (X27)", async (args, message) => {
    using folder = createFolder({ "sluicegate.yaml": POLICY });
    await openSqliteStore(createStateStore(folder.path)).close();
    const ran = await sluicegate(["archive", ...args], { cwd: folder.path });
    expect(ran).toMatchObject({ status: 2, out: "" });
    expect(ran.err).toContain(message);
  });
});
