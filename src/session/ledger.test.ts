import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary-folder.ts";
import { createMemoryStore, definePolicy, openSqliteStore } from "../index.ts";
import { createGate } from "./index.ts";
import { sealEntries, type UnsealedEntry } from "./journal.ts";

const ENTRIES = 100_000;
const MOST_BLOCKED_MS = 250;
const { path } = temporaryFolder();
const policy = definePolicy(
  { tools: { read_mail: { permissions: ["read"], source: { level: "internal" } } } },
  { version: "v1" },
);

describe("A session's ledger", () => {
  it(`lets others have their turn while it loads a journal of ${ENTRIES.toLocaleString("en")} entries`, async () => {
    const store = openSqliteStore(path());
    const writer = createGate({ policy, store });
    const { id } = await writer.open();
    const head = await store.head(id);
    const refused: UnsealedEntry = {
      kind: "call-refused",
      at: "2026-11-22T08:00:00.000Z",
      policy: "v1",
      data: { call: "call_1", step: 0, tool: "read_mail" },
    };
    await store.append(id, 1, sealEntries(head, Array(ENTRIES).fill(refused)));
    const reader = createGate({ policy, store });
    const blocked = monitorEventLoopDelay({ resolution: 5 });
    blocked.enable();
    const found = await Promise.all([reader.session(id), reader.session(id), reader.session(id)]);
    blocked.disable();
    expect(blocked.max / 1e6).toBeLessThan(MOST_BLOCKED_MS);
    expect(found.map((session) => session?.state.calls)).toEqual([ENTRIES, ENTRIES, ENTRIES]);
    await store.close();
  });

  it("doesn't fall behind what it wrote while it was loading (law-3)", async () => {
    const store = openSqliteStore(path());
    const gate = createGate({ policy, store });
    const session = await gate.open();
    const raising = session.addDataset("mail", { level: "internal" });
    const loading = Promise.all(Array.from({ length: 50 }, () => gate.session(session.id)));
    await raising;
    expect(session.label.level).toBe("internal");
    await loading;
    expect(session.label.level).toBe("internal");
    await store.close();
  });

  it("fails a call whose tool's name can't be written, and no other call of the same turn", async () => {
    const gate = createGate({ policy, store: createMemoryStore() });
    const session = await gate.open();
    const calls = ["read_mail", "half \ud800", "read_mail"].map((tool) =>
      session.decide([{ tool, arguments: {} }]),
    );
    const settled = await Promise.allSettled(calls);
    expect(settled).toMatchObject([
      { status: "fulfilled", value: [{ effect: "allow" }] },
      { status: "rejected", reason: { code: "unsupported-value" } },
      { status: "fulfilled", value: [{ effect: "allow" }] },
    ]);
    expect(session.label.level).toBe("internal");
    expect(await gate.verify()).toMatchObject({ ok: true, entries: 3 });
  });
});
