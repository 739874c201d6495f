/** Ended sessions go when the policy says so; open ones never do, and what is left is whole. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary-folder.ts";
import { definePolicy } from "../../core/index.ts";
import { createGate, GATEWAY_CHAIN } from "../../runtime/index.ts";
import { SealedValues } from "../../runtime/internal.ts";
import { verifyStore } from "../../runtime/journal/verify-store.ts";
import { openSqliteStore } from "../../stores/index.ts";
import { verifyArchiveFile } from "./archive-file.ts";
import { applyRetention } from "./keep-retention.ts";

const { path } = temporaryFolder();
const POLICY = definePolicy({
  tools: {
    look: { permissions: ["read"], source: { level: "internal" } },
    pay: { permissions: ["write"], approval: "always" },
  },
});
const DAY = 86_400_000;
const NOW = new Date("2026-06-01T00:00:00.000Z");
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY);

/** A store with sessions of a year ago: one that ended, one with a fork, one that is open; and one that ended today. */
async function start() {
  const folder = path("state");
  mkdirSync(folder);
  const storeFile = join(folder, "sluicegate.db");
  const store = openSqliteStore(storeFile);
  const gateAt = (at: Date) =>
    createGate({ policy: POLICY, store, clock: { now: () => at }, digestKey: new Uint8Array(32).fill(3) });
  const old = gateAt(daysAgo(365));
  const open = async (gate = old) => {
    const session = await gate.open({ principal: "ada" });
    await session.decide([{ tool: "look" }]);
    return session;
  };
  const [ended, stillOpen, forked] = [await open(), await open(), await open()];
  const fork = await forked.fork();
  await old.reset(ended.id);
  await old.reset(forked.id);
  const young = await open(gateAt(NOW));
  await gateAt(NOW).reset(young.id);
  const clock = { now: () => NOW };
  const values = new SealedValues({ store, clock, key: Buffer.alloc(32, 7), policyVersion: () => "v1" });
  const apply = (action: "archive" | "delete", endedMs = 90 * DAY) =>
    applyRetention({ store, storeFile, retention: { endedMs, action }, policy: () => POLICY, values }, NOW);
  const entriesOf = async (session: string): Promise<number> => (await store.read(session, 0, 99)).length;
  const ids = { ended: ended.id, stillOpen: stillOpen.id, forked: forked.id, fork: fork.id, young: young.id };
  return {
    store,
    storeFile,
    gateAt,
    old,
    apply,
    entriesOf,
    ...ids,
    [Symbol.asyncDispose]: () => store.close(),
  };
}

it.each([
  "archive",
  "delete",
] as const)("has ended sessions %sd, and no open one nor its family (X27)", async (action) => {
  await using at = await start();
  const before = new Map<string, number>();
  for (const id of [at.stillOpen, at.forked, at.fork, at.young]) before.set(id, await at.entriesOf(id));
  expect(await at.apply(action)).toBe(1);
  for (const [id, entries] of before) expect(await at.entriesOf(id)).toBe(entries);
  const [left, ...more] = await at.store.read(at.ended, 0, 99);
  expect(left).toMatchObject({ kind: "session-closed", data: { reason: "archived" } });
  expect(more).toEqual([]);
  expect(await verifyStore(at.store)).toMatchObject({ ok: true, problems: [] });
  const told = (await at.store.read(GATEWAY_CHAIN, 0, 99)).at(-1);
  const folder = join(at.storeFile, "..");
  const files = readdirSync(folder).filter((name) => name.startsWith("archive-"));
  if (action === "delete") {
    expect(told).toMatchObject({ kind: "sessions-retired", data: { action: "delete", sessions: 1 } });
    expect(files).toEqual([]);
  } else {
    const [file = ""] = files;
    expect(told).toMatchObject({ kind: "sessions-retired", data: { action: "archive", sessions: 1, file } });
    expect(readFileSync(join(folder, file), "utf8")).toContain(at.ended);
    expect(await verifyArchiveFile(join(folder, file), at.store)).toMatchObject({ ok: true, sessions: 1 });
  }
  expect(await at.apply(action)).toBe(0);
});

it("deletes a session in which a call ended after it was closed (X27)", async () => {
  await using at = await start();
  const session = await at.old.open({ principal: "ada" });
  await session.call({ tool: "look" }, () => at.old.reset(session.id));
  await expect.poll(async () => (await at.store.read(session.id, 0, 99)).at(-1)?.kind).toBe("call-finished");
  expect(await at.apply("delete")).toBe(2);
  expect(await at.entriesOf(session.id)).toBe(1);
});

it("keeps a session while a standing approval that was given in it is in force (X19, X27)", async () => {
  await using at = await start();
  const gate = at.gateAt(daysAgo(2));
  const session = await gate.open({ principal: "ada" });
  const [decided] = await session.decide([{ tool: "pay", arguments: { to: "bob" } }]);
  const standing = { for: "principal", expires: "7d", count: 9 } as const;
  await gate.answerApproval(decided?.approval?.id ?? "", { answer: "approved", by: "bo", standing });
  await gate.reset(session.id);
  expect(await at.apply("delete", DAY)).toBe(1);
  const [now, later] = [at.gateAt(NOW), at.gateAt(daysAgo(-10))];
  expect(await now.standingApprovals()).toHaveLength(1);
  expect(await later.standingApprovals()).toEqual([]);
  expect(await at.apply("delete", DAY)).toBe(1);
  expect(await at.entriesOf(session.id)).toBe(1);
});

it("keeps all if that is longer than there has been time (X27)", async () => {
  await using at = await start();
  expect(await at.apply("delete", Number.MAX_SAFE_INTEGER)).toBe(0);
});
