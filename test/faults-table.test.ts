import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { FAULT_TABLE, toFaultRows } from "./faults/fault-table.ts";

const ROOT = resolve(import.meta.dirname, "..");

it("names files and titles of the fault table that are there, and each file of test/faults", () => {
  const there = readdirSync(resolve(ROOT, "test/faults"))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/faults/${name}`);
  const named = FAULT_TABLE.flatMap(({ tests }) => tests);
  expect(there.filter((file) => !named.some(([name]) => file.startsWith(name)))).toEqual([]);
  for (const [file, title] of named) {
    const found = file.endsWith(".ts") ? [file] : there.filter((one) => one.startsWith(file));
    expect(found.length, file).toBeGreaterThan(0);
    for (const one of found) expect(readFileSync(resolve(ROOT, one), "utf8"), one).toContain(title);
  }
});

it("counts what titles say that a test did, its failures, and a fault without a test", () => {
  const file = "test/faults/gateway-kill-random.test.ts";
  const rows = toFaultRows([
    { file, title: "a gateway keeps I1 to I4 over 1,200 kills on one SQLite file", state: "passed" },
    { file: "test/faults/store-kill.test.ts", title: "is whole", state: "failed" },
    { file: "test/faults/store-disk-full.test.ts", title: "fails", state: "skipped" },
  ]);
  const of = (fault: string) => rows.find((row) => row.fault === fault);
  expect(of("kill −9, SQLite")).toMatchObject({ runs: 1201, violations: 1, skipped: 0 });
  expect(of("disk full, SQLite")).toMatchObject({ runs: 0, violations: null, skipped: 1 });
  expect(of("clocks ten minutes apart")).toMatchObject({ runs: 0, violations: null, files: [] });
});
