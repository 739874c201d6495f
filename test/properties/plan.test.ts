/** The plan check of `src/core` against brute force on random plans of up to seven calls; with it, law 6. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { decide as decideSlowly, sessionOf } from "../../spec/decide.ts";
import { flowsTo, type Label, labelOf } from "../../spec/label.ts";
import {
  type DecideAt,
  fewestQuestions,
  type Played,
  play,
  type Step,
  safeOrder,
  toSteps,
} from "../../spec/plan.ts";
import {
  apply,
  checkPlan,
  decide,
  type Facts,
  initialState,
  type Lattice,
  type PlanCheck,
  type PlannedCall,
  type Policy,
  type SessionState,
} from "../../src/core/index.ts";
import { CASES, compact, latticeOf, MEETS_RARE, toPolicy } from "./generators.ts";
import { anyPlans, type PlanWorld } from "./plan-generators.ts";

const PER_WORLD = 20;

/** The reference's decision in this session at any label; it depends on nothing else, so it is kept. */
function decider({ world, events, facts }: PlanWorld): {
  readonly decideAt: DecideAt;
  readonly start: Label;
} {
  const history = sessionOf(latticeOf(world), events);
  const session = { ...history, limits: [...world.limits, ...history.limits] };
  const known = new Map<string, ReturnType<DecideAt>>();
  const decideAt: DecideAt = (label, { call, source }) => {
    const told = compact<Facts>({ ...facts, source });
    const key = `${JSON.stringify([call, source])} ${label.level} ${label.trust} ${[...label.categories].sort()}`;
    const answer =
      known.get(key) ?? decideSlowly(world.declaration, world.offered, { ...session, label }, call, told);
    known.set(key, answer);
    return answer;
  };
  return { decideAt, start: session.label };
}

const indicesOf = <T>(list: readonly T[], holds: (item: T, at: number) => unknown): readonly number[] =>
  [...list.keys()].filter((at) => holds(list[at] as T, at));

const isTaken = (steps: readonly Step[], at: number): boolean =>
  steps.slice(0, at).some(({ id }) => id !== null && id === steps[at]?.id);

/** The steps that must come before a step, at first or second hand. */
function waitsFor(steps: readonly Step[], at: number, found = new Set<number>()): ReadonlySet<number> {
  for (const other of steps[at]?.after ?? []) if (!found.has(other)) waitsFor(steps, other, found.add(other));
  return found;
}

/** Steps wrong by themselves: an id that is taken or that nobody has, the first of a circle, too early. */
function misplaced(steps: readonly Step[]): readonly number[] {
  const waits = steps.map((_, at) => waitsFor(steps, at));
  return indicesOf(steps, ({ after }, at) => {
    const circle = indicesOf(steps, (_, other) => waits[at]?.has(other) && waits[other]?.has(at));
    const early = after.some((other) => other > at && !circle.includes(other));
    return isTaken(steps, at) || after.includes(-1) || circle[0] === at || early;
  });
}

const labelsAt = (calls: readonly PlannedCall[], indices: readonly number[]): readonly string[] =>
  indices
    .map((at) => calls[at] ?? "")
    .map((call) => (typeof call === "string" ? call : (call.id ?? call.tool)));

/** What is left of a plan when some calls are dropped, and the edges to them with them. */
function without(steps: readonly Step[], dropped: readonly number[]): readonly Step[] {
  const kept = indicesOf(steps, (_, at) => !dropped.includes(at));
  const moved = (at: number): number => (at < 0 ? at : kept.indexOf(at));
  return steps
    .filter((_, at) => kept.includes(at))
    .map((step) => ({ ...step, after: step.after.filter((at) => !dropped.includes(at)).map(moved) }));
}

/** The sets of steps, in order, that have these labels. */
const setsLabelled = (
  all: readonly string[],
  [first, ...others]: readonly string[],
  from = 0,
): readonly (readonly number[])[] =>
  first === undefined
    ? [[]]
    : indicesOf(all, (label, at) => at >= from && label === first).flatMap((at) =>
        setsLabelled(all, others, at + 1).map((rest) => [at, ...rest]),
      );

/**
 * Whether there is an order without these steps, and none with one of them back: nor then with more of them,
 * since leaving calls out of a safe order leaves a safe order.
 */
const isMinimal = (
  steps: readonly Step[],
  set: readonly number[],
  orders: (left: readonly Step[]) => boolean,
): boolean =>
  orders(without(steps, set)) &&
  set.every(
    (back) =>
      !orders(
        without(
          steps,
          set.filter((at) => at !== back),
        ),
      ),
  );

/** Runs calls through the runtime's own functions: those that were refused. */
function refusals(
  policy: Policy,
  start: SessionState,
  steps: readonly Step[],
  facts: Facts,
): readonly string[] {
  let state = start;
  const refused = steps.filter(({ call, source: found }) => {
    const { tool } = call;
    const { effect, source } = decide(policy, state, call, compact<Facts>({ ...facts, source: found }));
    if (effect === "deny") return true;
    const event = {
      kind: "call-admitted",
      call: tool,
      tool,
      arguments: "",
      source,
      dataset: tool,
      label: state.label,
    } as const;
    state = apply(state, event, "");
    return false;
  });
  return refused.map(({ call }) => call.tool);
}

const counts = { asGiven: 0, reordered: 0, impossible: 0 };
const saved = { asGiven: 0, reordered: 0 };

it(`checks plans as brute force does, in ${CASES} plans`, { timeout: 3_600_000 }, () => {
  const compared = (): number => counts.asGiven + counts.reordered + counts.impossible;
  const numRuns = Math.min(500, Math.ceil(CASES / PER_WORLD));
  while (compared() < CASES) fc.assert(fc.property(anyPlans(PER_WORLD), checkAll), { numRuns });
  expect(Math.min(...Object.values(counts)) / compared()).toBeGreaterThan(0.05);
  if (MEETS_RARE) expect(Math.min(...Object.values(saved)) / compared()).toBeGreaterThan(0.001);
});

function checkAll(given: PlanWorld): void {
  const policy = toPolicy(given.world);
  const state = given.events.reduce((sofar, event) => apply(sofar, event, ""), initialState(policy.lattice));
  const { decideAt, start } = decider(given);
  for (const calls of given.plans) {
    const steps = toSteps(calls);
    const found = checkPlan(policy, state, calls, given.facts);
    const order = steps.some((_, at) => isTaken(steps, at)) ? null : safeOrder(decideAt, start, steps);
    const played = play(decideAt, start, steps);
    const violated = expectSame(found, calls, played, order);
    if (order) expectFewest(found, calls, { decideAt, start, order });
    expectSteps(policy.lattice, found, calls, played);
    counts[order === null ? "impossible" : violated === 0 ? "asGiven" : "reordered"] += 1;
    if (order) {
      const inOrder = order.flatMap((at) => steps[at] ?? []);
      expectNone(refusals(policy, state, inOrder, given.facts), "calls of the safe order that were refused");
      expectNone(found.inTheWay, "calls in the way of a safe order");
    } else {
      const orders = (left: readonly Step[]): boolean => safeOrder(decideAt, start, left) !== null;
      expectMinimal(calls, found.inTheWay, orders);
    }
  }
}

/** Compares what both say of the order given, and the safe order; answers how many steps are violated. */
function expectSame(
  { valid, violations, safeOrdering, approvals, questions }: PlanCheck,
  calls: readonly PlannedCall[],
  played: readonly Played[],
  order: readonly number[] | null,
): number {
  const refused = indicesOf(played, ({ answer }) => answer.effect === "deny");
  const theirs = {
    violated: [...new Set([...misplaced(toSteps(calls)), ...refused])].sort(),
    asked: indicesOf(played, ({ answer }) => answer.effect === "ask"),
    hasOrder: order !== null,
    questions: played.filter(({ answer }) => answer.effect === "ask").length,
  };
  const ours = {
    violated: [...new Set(violations.map(({ atStep }) => atStep))].sort(),
    asked: approvals.map(({ atStep }) => atStep),
    hasOrder: safeOrdering !== null,
    questions,
  };
  if (JSON.stringify(ours) !== JSON.stringify(theirs)) expect(ours).toEqual(theirs);
  if (valid !== (theirs.violated.length === 0)) expect(valid).toBe(!valid);
  return theirs.violated.length;
}

/** How often a person is asked in an order; null where a step is refused, or comes before one that it waits for. */
function questionsIn(decideAt: DecideAt, start: Label, steps: readonly Step[], order: readonly number[]) {
  const early = order.some((at, place) => steps[at]?.after.some((before) => order.indexOf(before) > place));
  const effects = play(
    decideAt,
    start,
    order.flatMap((at) => steps[at] ?? []),
  ).map(({ answer }) => answer.effect);
  return early || effects.includes("deny") ? null : effects.filter((effect) => effect === "ask").length;
}

/** Of several orders, one with the fewest questions is told: as the safe one where the plan isn't valid as it is. */
function expectFewest(
  { valid, safeOrdering, questions, fewestQuestions: fewer, questionsSaved = 0 }: PlanCheck,
  calls: readonly PlannedCall[],
  world: { readonly decideAt: DecideAt; readonly start: Label; readonly order: readonly number[] },
): void {
  const { decideAt, start, order } = world;
  const steps = toSteps(calls);
  const fewest = fewestQuestions(decideAt, start, steps) ?? -1;
  const labels = labelsAt(calls, [...steps.keys()]);
  // A label may mean several steps; one of the orders that it may mean is as good as it says.
  const isFewest = (named: readonly string[]): boolean =>
    ordersLabelled(labels, named).some((one) => questionsIn(decideAt, start, steps, one) === fewest);
  const isBest = questionsIn(decideAt, start, steps, order) === fewest;
  const safe = typeof safeOrdering === "string" ? [] : (safeOrdering ?? []);
  if (valid || isBest) expect(safe).toEqual(labelsAt(calls, order));
  else expect(isFewest(safe), "the safe order has the fewest questions").toBe(true);
  expect(questionsSaved).toBe(Math.max(0, questions - fewest));
  expect(fewer !== undefined).toBe(questions > fewest);
  if (fewer === undefined) return;
  saved[valid ? "asGiven" : "reordered"] += 1;
  expect(isFewest(fewer), "there is no order with fewer questions").toBe(true);
}

/** The orders of all steps that have these labels. */
function* ordersLabelled(
  all: readonly string[],
  [first, ...others]: readonly string[],
  taken: readonly number[] = [],
): Generator<readonly number[]> {
  if (first === undefined) yield taken;
  for (const at of indicesOf(all, (label, at) => label === first && !taken.includes(at)))
    yield* ordersLabelled(all, others, [...taken, at]);
}

/** Compares what both say of each step: what is decided, what it raises, and the label after it. */
function expectSteps(
  lattice: Lattice,
  { steps }: PlanCheck,
  calls: readonly PlannedCall[],
  played: readonly Played[],
): void {
  const isSame = (ours: unknown, theirs: Label): boolean => {
    const label = labelOf(lattice, ours);
    return flowsTo(label, theirs) && flowsTo(theirs, label);
  };
  const same = played.every(({ answer, raises, label }, at) => {
    const [step, call] = [steps[at], calls[at]];
    return (
      step?.atStep === at &&
      step.tool === (typeof call === "string" ? call : call?.tool) &&
      step.effect === answer.effect &&
      (raises === null ? step.raises === null : isSame(step.raises, raises)) &&
      isSame(step.label, label)
    );
  });
  if (!same || steps.length !== calls.length) expect(steps, "the steps of the plan").toEqual(played);
}

/** A plan in which an id stands twice can't be read, so nothing is said of what stands in its way. */
function expectMinimal(
  calls: readonly PlannedCall[],
  inTheWay: readonly string[],
  orders: (left: readonly Step[]) => boolean,
): void {
  const steps = toSteps(calls);
  if (steps.some((_, at) => isTaken(steps, at))) return;
  const sets = setsLabelled(labelsAt(calls, [...steps.keys()]), inTheWay);
  const minimal = sets.some((set) => isMinimal(steps, set, orders));
  if (!minimal) expect({ calls, inTheWay }, "one minimal set of calls in the way").toBe(null);
}

function expectNone(found: readonly string[], what: string): void {
  if (found.length > 0) expect(found, what).toEqual([]);
}
