import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { definePolicy } from "../../core/index.ts";
import { createGate, OPERATOR } from "../../runtime/index.ts";
import { openSqliteStore } from "../../stores/index.ts";
import { createFolder, createStateStore, POLICY, sluicegate } from "../cli.test-kit.ts";

const OFFICE = definePolicy({
  tools: {
    search_docs: { permissions: ["read"], source: { level: "internal" } },
    web_search: { permissions: ["connect"], sink: [{ level: "public" }] },
    wire_transfer: { permissions: ["write"], approval: "always" },
  },
});

/** A store that is used, with a backup of it and of what happened afterwards. */
async function createUsed() {
  const folder = createFolder({ "sluicegate.yaml": POLICY });
  const file = createStateStore(folder.path);
  const store = openSqliteStore(file);
  const gate = createGate({ policy: OFFICE, store });
  const session = await gate.sticky("ada");
  const [asked] = await session.decide([{ tool: "wire_transfer" }]);
  await gate.answerApproval(asked?.approval?.id ?? "", { answer: "approved", by: OPERATOR });
  const backup = join(folder.path, "backup.db");
  const run = (...args: string[]) => sluicegate([...args, "--json"], { cwd: folder.path });
  const backedUp = await run("backup", backup);
  // Nothing of this is in the backup.
  await session.call({ tool: "search_docs" }, () => "docs");
  await session.call({ tool: "wire_transfer" }, () => "paid");
  const later = await gate.open({ principal: "bob" });
  return { folder, file, gate, backup, backedUp, run, session: session.id, later: later.id };
}

describe("sluicegate backup and restore", () => {
  it("backs a store up while it is used, and restores it with nothing that could be laxer (X27)", async () => {
    const { folder, file, gate, backup, backedUp, run, session, later } = await createUsed();
    using _ = folder;
    expect(backedUp.json()).toMatchObject({ file: backup, sessions: 1 });
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect((await run("restore", backup)).out).toContain("There is a store already.");
    const inUse = await run("restore", backup, "--replace");
    expect(inUse).toMatchObject({ status: 2 });
    expect(inUse.out).toContain("Another program has it open");
    await gate.close();
    const before = readFileSync(file);
    const restored = await run("restore", backup, "--replace");
    expect(restored.json()).toMatchObject({ ended_sessions: 1, revoked_standing_approvals: 0 });
    const { replaced } = restored.json() as { replaced: string };
    expect(readFileSync(replaced)).toEqual(before);
    expect(readdirSync(dirname(file)).filter((name) => name.includes(".new-"))).toEqual([]);
    expect((await run("journal", "verify")).json()).toMatchObject({ ok: true });
    const again = createGate({ policy: OFFICE, store: openSqliteStore(file, { mustExist: true }) });
    const [freeze] = await again.freezes();
    const fallback = await again.sticky("ada");
    expect(await fallback.call({ tool: "search_docs" }, () => "docs")).toMatchObject({ effect: "deny" });
    await again.unfreeze(freeze?.id ?? "", OPERATOR);
    const old = await again.session(session);
    expect(old?.state).toMatchObject({ closed: true, pending: [] });
    expect(await old?.call({ tool: "wire_transfer" }, () => "paid again")).toMatchObject({ effect: "deny" });
    expect(fallback.id).not.toBe(session);
    expect(await fallback.call({ tool: "web_search" }, () => "web")).toMatchObject({ effect: "deny" });
    expect(await again.session(later)).toBeNull();
    await again.close();
  });

  it("refuses a backup that is damaged, and leaves the store as it was (X27)", async () => {
    const { folder, file, gate, backup, run } = await createUsed();
    using _ = folder;
    await gate.close();
    const [before, whole] = [readFileSync(file), readFileSync(backup)];
    const changed = Buffer.from(whole);
    changed.write("X", changed.lastIndexOf("wire_transfer"));
    for (const content of [changed, whole.subarray(0, whole.length - 4096), Buffer.from("no store")]) {
      writeFileSync(backup, content);
      expect(await run("restore", backup, "--replace")).toMatchObject({ status: 2 });
      expect(readFileSync(file)).toEqual(before);
    }
    expect(readdirSync(dirname(file)).filter((name) => /new-|replaced/.test(name))).toEqual([]);
    expect((await run("restore", join(folder.path, "nothing.db"))).out).toContain("is no backup");
    expect((await run("backup", backup)).out).toContain("nothing is written over it");
    expect((await run("backup", "b.db", "--store", "postgres://localhost/gate")).out).toContain("pg_dump");
  });

  it("restores where no store is left, and where the one that is there is damaged (X27)", async () => {
    const { folder, file, gate, backup, run } = await createUsed();
    using _ = folder;
    await gate.close();
    using other = createFolder({ "sluicegate.yaml": POLICY });
    const ran = await sluicegate(["restore", backup], { cwd: other.path });
    expect(ran).toMatchObject({ status: 0, err: "" });
    expect(existsSync(join(other.path, ".sluicegate", "sluicegate.db-mark"))).toBe(true);
    // An older copy in the store's place is refused by its mark; restoring it is the way that says so.
    copyFileSync(backup, file);
    expect((await run("journal", "verify")).status).toBe(1);
    expect(await run("restore", backup, "--replace")).toMatchObject({ status: 0 });
    expect((await run("journal", "verify")).json()).toMatchObject({ ok: true });
  });
});
