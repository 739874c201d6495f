/**
 * Sixteen clients work at once on sessions, their forks and forks of those, and on sessions that principals fall back
 * to: they read, send, report, ask, approve, fork and reset. The n-th operation of the store fails, for each n, before
 * or after it is made, once or from then on; then another process goes on. What clients were shown is never above what
 * any session of the family is decided on, nothing runs that wasn't admitted, and each yes lets one call run.
 *
 * `SLUICEGATE_FAILURES=1000 vitest run --project system test/faults/failing-operations.test.ts` for a long run;
 * `SLUICEGATE_SEED` plays a run again.
 */
import { expect, it } from "vitest";
import { type Failure, MODES, runFamilies } from "../fixtures/family-load.ts";
import { seededRandom } from "../fixtures/seeded-random.ts";

const SEED = Number(process.env.SLUICEGATE_SEED) || Math.floor(Math.random() * 2 ** 31);
const FAILURES = Number(process.env.SLUICEGATE_FAILURES) || 40;

it(`keeps I1 to I4 over ${FAILURES} failing operations of the store, with the seed ${SEED} (law-3, law-7, law-8, X15-approvals)`, async () => {
  const random = seededRandom(SEED);
  const seen = { failed: 0, released: 0, refused: 0, approved: 0, forks: 0 };
  while (seen.failed < FAILURES) {
    const seed = random(2 ** 31);
    const { operations } = await runFamilies(seed, null);
    const total = operations * MODES.length;
    const before = seen.failed;
    // Each n in each way where there is room for all of them; otherwise evenly spread.
    const step = Math.max(1, total / (FAILURES - before));
    for (let at = 0; at < total && seen.failed < FAILURES; at += step) {
      const failure: Failure = {
        nth: 1 + Math.floor(at / MODES.length),
        mode: MODES[Math.floor(at) % MODES.length] ?? "before",
      };
      const outcome = await runFamilies(seed, failure);
      expect(outcome.violations, `seed ${SEED}, load ${seed}, ${JSON.stringify(failure)}`).toEqual([]);
      for (const key of ["released", "refused", "approved", "forks"] as const) seen[key] += outcome[key];
      // How operations interleave decides how many there are, so some runs end before theirs fails, and don't count.
      seen.failed += outcome.operations >= failure.nth ? 1 : 0;
    }
    expect(seen.failed, `no operation failed with the load ${seed}`).toBeGreaterThan(before);
  }
  // The run is worth something only where it went through all of this.
  expect(
    Object.values(seen).every((count) => count > 0),
    JSON.stringify(seen),
  ).toBe(true);
}, 1_800_000);
