/** The suite of bypasses once; `bypass/bypass.test.ts` runs it before other servers and against a pass-through. */
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const RUN = resolve(import.meta.dirname, "../../bypass/run.ts");

interface Found {
  readonly id: string;
  readonly verdict: string;
}

it("holds against every attack of the suite of bypasses (X14)", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, "--json"], { maxBuffer: 2 ** 24 });
  const found: readonly Found[] = JSON.parse(stdout);
  expect(found.length).toBeGreaterThan(50);
  expect(found.filter(({ verdict }) => verdict !== "held" && verdict !== "not-applicable")).toEqual([]);
}, 480_000);
