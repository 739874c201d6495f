/**
 * Gateways that are killed at random moments, on each store. `SLUICEGATE_KILLS` says how often, and `SLUICEGATE_SEED`
 * plays a run again, as far as timing allows.
 */
import { describe, it } from "vitest";
import { runKills } from "../fixtures/kill-run.ts";
import { createKilledDatabase, createKilledFile } from "../fixtures/killed-store.ts";

const SEED = Number(process.env.SLUICEGATE_SEED) || 20261123;
const ROUNDS = Number(process.env.SLUICEGATE_KILLS) || 4;
const TEN_MINUTES_MS = 600_000;
const timeout = Math.max(120_000, ROUNDS * 30_000);

describe("a gateway that is killed at random moments", () => {
  it.each([
    ["one SQLite file", "X15-sqlite, X15-approvals, law-3, law-7, law-8", createKilledFile],
    ["PostgreSQL with another gateway", "X15-postgres, X16, law-3, law-7, law-8", createKilledDatabase],
  ] as const)(
    `keeps I1 to I4 over ${ROUNDS} kills on %s, with the seed ${SEED} (%s)`,
    async (_, __, create) => {
      await runKills({ rounds: ROUNDS, seed: SEED, create: (policy) => create(policy) });
    },
    timeout,
  );

  it(
    `keeps them beside a gateway whose clock is ten minutes ahead, with the seed ${SEED} (X16, law-3, law-7)`,
    async () => {
      const create = (policy: string) => createKilledDatabase(policy, TEN_MINUTES_MS);
      // The gateways take turns: in the second round, the one whose clock is wrong is killed.
      await runKills({ rounds: Math.max(2, Math.ceil(ROUNDS / 10)), seed: SEED, create });
    },
    timeout,
  );
});
