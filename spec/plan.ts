/**
 * The plan check by brute force: the reference for `src/core/plan/plan.ts`, to be checked by eye. It knows nothing of
 * why a call is refused; it asks the decision function each time.
 */
import type * as core from "../src/core/index.ts";
import type { Answer } from "./decide.ts";
import { flowsTo, join, type Label } from "./label.ts";

/** The decision on a call where the session's label is this one. */
export type DecideAt = (label: Label, step: Step) => Answer;

export interface Step {
  readonly call: core.Call;
  /** What was found out that it brings in. */
  readonly source: core.Label | undefined;
  readonly id: string | null;
  /** The steps that must come before; -1 where nobody has the id. */
  readonly after: readonly number[];
}

export function toSteps(calls: readonly core.PlannedCall[]): readonly Step[] {
  type Whole = Exclude<core.PlannedCall, string>;
  const given = calls.map((call): Whole => (typeof call === "string" ? { tool: call } : call));
  const stepOf = (id: string): number => given.findIndex((call) => call.id === id);
  return given.map(({ id = null, after = [], source, ...call }) => ({
    call,
    source,
    id,
    after: after.map(stepOf),
  }));
}

/** What a step is answered, what it adds to the label, and the label after it. */
export interface Played {
  readonly answer: Answer;
  readonly raises: Label | null;
  readonly label: Label;
}

/** Plays the order given: a refused step isn't run and raises nothing; one that asks counts as approved. */
export function play(decideAt: DecideAt, start: Label, steps: readonly Step[]): readonly Played[] {
  let label = start;
  return steps.map((step) => {
    const answer = decideAt(label, step);
    const raises = answer.source && !flowsTo(answer.source, label) ? answer.source : null;
    if (raises) label = join(label, raises);
    return { answer, raises, label };
  });
}

/**
 * The safe order that takes at each step the earliest call after which the rest still has one; null if there is
 * none. Every order is tried; but what can follow depends only on the set of calls that ran (a bit for each), so
 * the answer for a set is kept.
 */
export function safeOrder(decideAt: DecideAt, start: Label, steps: readonly Step[]): Order {
  const known = new Map<number, Order>([[2 ** steps.length - 1, []]]);
  const answer = (ran: number, label: Label): Order => {
    const order = known.has(ran) ? known.get(ran) : search(ran, label);
    known.set(ran, order ?? null);
    return order ?? null;
  };
  const search = (ran: number, label: Label): Order => {
    for (const [at, step] of steps.entries()) {
      const reply = isReady(ran, at, step) ? decideAt(label, step) : null;
      if (reply === null || reply.effect === "deny") continue;
      const rest = answer(ran | (1 << at), reply.source ? join(label, reply.source) : label);
      if (rest) return [at, ...rest];
    }
    return null;
  };
  return answer(0, start);
}

/** In how many questions a safe order can do that asks a person least often; null if no order is safe. */
export function fewestQuestions(decideAt: DecideAt, start: Label, steps: readonly Step[]): number | null {
  const known = new Map<number, number | null>([[2 ** steps.length - 1, 0]]);
  const answer = (ran: number, label: Label): number | null => {
    if (!known.has(ran)) known.set(ran, search(ran, label));
    return known.get(ran) ?? null;
  };
  const search = (ran: number, label: Label): number | null => {
    const counts = steps.flatMap((step, at) => (isReady(ran, at, step) ? after(ran, label, at, step) : []));
    return counts.length === 0 ? null : Math.min(...counts);
  };
  const after = (ran: number, label: Label, at: number, step: Step): number | readonly [] => {
    const { effect, source } = decideAt(label, step);
    const rest = effect === "deny" ? null : answer(ran | (1 << at), source ? join(label, source) : label);
    return rest === null ? [] : rest + (effect === "ask" ? 1 : 0);
  };
  return answer(0, start);
}

type Order = readonly number[] | null;

const has = (ran: number, at: number): boolean => (ran & (1 << at)) !== 0;

const isReady = (ran: number, at: number, { after }: Step): boolean =>
  !has(ran, at) && after.every((before) => has(ran, before));
