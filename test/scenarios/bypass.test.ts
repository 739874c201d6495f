/** The quickest check of each kind of the suite of bypasses; `bypass/bypass.test.ts` runs them all, and before a pass-through. */
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const RUN = resolve(import.meta.dirname, "../../bypass/run.ts");

const ONE_OF_EACH_KIND = [
  "in-tool",
  "out-tool",
  "told-by-call",
  "hidden-denied",
  "session-foreign-url",
  "session-token-reach",
  "parallel-in-flight",
  "state-replayed",
  "approval-spent",
  "changed-after-yes",
  "header-smuggled",
  "method-unannounced",
  "notice-intruder",
  "switched-in-resource",
  "silence-own-hang-up",
  "flood-places",
  "load-values-in",
  "collision-look-alikes",
  "sql-function-notation",
  "api-echo-plain",
  "agent-grep-above",
  "agent-procfs-read",
];

interface Found {
  readonly id: string;
  readonly verdict: string;
}

it("holds against an attack of each kind of the suite of bypasses (X14)", async () => {
  const only = ONE_OF_EACH_KIND.flatMap((id) => ["--only", id]);
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, "--json", ...only], {
    maxBuffer: 2 ** 24,
  });
  const found: readonly Found[] = JSON.parse(stdout);
  expect(found.map(({ id, verdict }) => [id, verdict]).toSorted()).toEqual(
    ONE_OF_EACH_KIND.map((id) => [id, "held"]).toSorted(),
  );
}, 480_000);
