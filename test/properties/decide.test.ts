/** The decision of `src/core` against the reference in `spec/`, on random policies, sessions, calls and facts. */
import fc from "fast-check";
import { expect, it } from "vitest";
import * as reference from "../../spec/decide.ts";
import { apply, decide, initialState, type Policy } from "../../src/core/index.ts";
import { anyCases, CASES, type Case, changedIn, latticeOf, toPolicy, type World } from "./generators.ts";

const PER_WORLD = 60;

interface Said {
  readonly effect: string;
  readonly codes: readonly string[];
}

function decideFast(policy: Policy, { events, tool, facts }: Case): Said & { readonly source: unknown } {
  const state = events.reduce((sofar, event) => apply(sofar, event, ""), initialState(policy.lattice));
  const { effect, reasons, source } = decide(policy, state, { tool }, facts);
  return { effect, codes: [...new Set(reasons.map(({ code }) => code))].sort(), source };
}

function decideSlowly(world: World, { events, tool, facts }: Case): reference.Answer {
  const session = {
    ...reference.sessionOf(latticeOf(world), events),
    limits: world.limits,
    changed: changedIn(world),
  };
  return reference.decide(world.declaration, world.offered, session, { tool }, facts);
}

it(`decides as the reference does, in ${CASES} cases`, { timeout: 3_600_000 }, () => {
  const effects: Record<string, number> = { allow: 0, ask: 0, deny: 0 };
  let compared = 0;
  const check = ({ world, cases }: { world: World; cases: readonly Case[] }): void => {
    const policy = toPolicy(world);
    for (const given of cases) {
      const fast = decideFast(policy, given);
      const slow = decideSlowly(world, given);
      compared += 1;
      effects[slow.effect] = (effects[slow.effect] ?? 0) + 1;
      if (fast.effect === slow.effect && fast.codes.join() === [...slow.codes].sort().join()) continue;
      expect({ effect: fast.effect, codes: fast.codes }).toEqual({
        effect: slow.effect,
        codes: [...slow.codes].sort(),
      });
    }
  };
  while (compared < CASES) fc.assert(fc.property(anyCases(PER_WORLD), check), { numRuns: 500 });
  expect(Math.min(...Object.values(effects)) / compared).toBeGreaterThan(0.01);
});
