/** Two writers that raise one session at once, through two stores on one file: no raise is lost. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createGate, definePolicy, openSqliteStore } from "../../src/index.ts";

const RAISES = 10_000;
const CATEGORIES = 50;

it(`keeps each of ${RAISES.toLocaleString("en")} raises by two writers at once (law-3, A4)`, {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluicegate-"));
  const file = join(folder, "sluicegate.db");
  const policy = definePolicy({}, { version: "test" });
  const gates = [
    createGate({ policy, store: openSqliteStore(file) }),
    createGate({ policy, store: openSqliteStore(file) }),
  ];
  const { id } = await (gates[0] ?? expect.fail()).open();
  const write = async (writer: number): Promise<void> => {
    const session = await gates[writer]?.session(id);
    for (let at = writer; at < RAISES; at += 2) {
      await session?.addDataset("crm", { level: "internal", categories: [`customer:${at % CATEGORIES}`] });
    }
  };
  await Promise.all([write(0), write(1)]);
  for (const gate of gates) {
    const session = await gate.session(id);
    expect(session?.label.categories).toHaveLength(CATEGORIES);
    expect(session?.label.level).toBe("internal");
  }
  expect(await gates[0]?.verify()).toMatchObject({ ok: true, sessions: 1, entries: RAISES + 1 });
  await Promise.all(gates.map((gate) => gate.close()));
  rmSync(folder, { recursive: true, force: true });
});
