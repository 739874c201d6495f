/** The decision of `src/core` against the reference in `spec/`, on random policies, sessions, calls and facts. */
import fc from "fast-check";
import { expect, it } from "vitest";
import * as reference from "../../spec/decide.ts";
import { type Label, labelOf } from "../../spec/label.ts";
import {
  ASK_CAUSES,
  apply,
  type Call,
  decide,
  EFFECT_OF,
  initialState,
  type Policy,
} from "../../src/core/index.ts";
import {
  anyCases,
  CASES,
  type Case,
  changedIn,
  latticeOf,
  MEETS_RARE,
  toPolicy,
  type World,
} from "./generators.ts";

const PER_WORLD = 60;

interface Said {
  readonly effect: string;
  readonly codes: readonly string[];
  readonly causes: readonly string[];
  readonly release: boolean;
  /** What the call brings in. */
  readonly source: string | null;
}

const toCall = ({ tool, arguments: args }: Case): Call => ({ tool, ...(args && { arguments: args }) });

function decideFast(policy: Policy, given: Case): Said {
  const state = given.events.reduce((sofar, event) => apply(sofar, event, ""), initialState(policy.lattice));
  const { effect, reasons, source, release = false } = decide(policy, state, toCall(given), given.facts);
  const causes = reasons.flatMap((reason) => (reason.code === "approval-required" ? [reason.because] : []));
  const label = source && labelOf(policy.lattice, source);
  const codes = sorted(reasons.map(({ code }) => code));
  return { effect, codes, causes: sorted(causes), release, source: written(label) };
}

function decideSlowly(world: World, given: Case): Said {
  const history = reference.sessionOf(latticeOf(world), given.events);
  const session = {
    ...history,
    limits: [...world.limits, ...history.limits],
    changed: changedIn(world),
  };
  const { declaration, offered } = world;
  const { effect, codes, causes, release, source } = reference.decide(
    declaration,
    offered,
    session,
    toCall(given),
    given.facts,
  );
  return { effect, codes: sorted(codes), causes: sorted(causes), release, source: written(source) };
}

/** A `*` among the categories stands for all of them. */
const written = (label: Label | null): string | null =>
  label && `${label.level} ${label.categories.has("*") ? "*" : sorted(label.categories)} ${label.trust}`;

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();

it(`decides as the reference does, in ${CASES} cases`, { timeout: 3_600_000 }, () => {
  const met: Record<string, number> = {};
  let compared = 0;
  const check = ({ world, cases }: { world: World; cases: readonly Case[] }): void => {
    const policy = toPolicy(world);
    for (const given of cases) {
      const fast = decideFast(policy, given);
      const slow = decideSlowly(world, given);
      compared += 1;
      for (const one of [
        slow.effect,
        ...slow.codes,
        ...slow.causes,
        slow.release && `${slow.effect} release`,
      ])
        if (one) met[one] = (met[one] ?? 0) + 1;
      if (JSON.stringify(fast) !== JSON.stringify(slow)) expect(fast).toEqual(slow);
    }
  };
  const numRuns = Math.min(500, Math.ceil(CASES / PER_WORLD));
  while (compared < CASES) fc.assert(fc.property(anyCases(PER_WORLD), check), { numRuns });
  const rarest = (...names: readonly string[]) => Math.min(...names.map((name) => met[name] ?? 0)) / compared;
  if (MEETS_RARE) expect(rarest("allow", "ask", "deny")).toBeGreaterThan(0.01);
  // So that nothing of what is compared is only said to be; fewer cases may miss what is rare.
  if (compared < 30_000) return;
  const all = [...Object.keys(EFFECT_OF), ...ASK_CAUSES, "allow release", "ask release"];
  expect(rarest(...all)).toBeGreaterThan(0.0001);
});
