/**
 * Finds the order of a plan that asks a person least often, by branch and bound. Exact if the search ends within its
 * budget; otherwise the best order found so far.
 *
 * A step that raises nothing can be placed at once: it affects no other step. So only steps that raise the label are
 * tried in turn, and the search is as deep as the lattice, not as the plan.
 */
import type { Decision } from "../decision/decide.ts";
import type { Facts } from "../decision/decision-context.ts";
import { type AskCause, effectOfReason, type Reason, type ReasonCode } from "../decision/reason.ts";
import { flowsTo, join, type Label, parseLabel } from "../label/label.ts";
import { LabelClasses } from "../label/label-classes.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import { DECISION_STEPS, MAX_SEARCH_STEPS, Meter, withinMeter } from "./meter.ts";
import type { Planned } from "./planned-call.ts";
import { decideStep, playPlan } from "./play-plan.ts";

/** A plan with the facts for its decisions. */
interface QuestionProblem {
  readonly policy: Policy;
  readonly state: SessionState;
  readonly steps: readonly Planned[];
  /** By step: the steps that must come before it. */
  readonly after: readonly (readonly number[])[];
  /** With the meter of the plan's conditions: a step beyond it counts as a question. */
  readonly facts: Facts;
}

/**
 * The safe order with the fewest questions that was found, or `order` itself if none has fewer. Null if `order` isn't
 * safe. `questions`: the number of questions of `order`, if known.
 */
export function fewestQuestions(
  problem: QuestionProblem,
  order: readonly number[],
  questions = countQuestions(problem, order),
): CountedOrder | null {
  if (questions === null) return null;
  const search = new QuestionSearch(problem, questions, new Meter(MAX_SEARCH_STEPS));
  const all = new Set(order.toSorted((one, other) => one - other));
  const find = (): void => {
    search.placeEarliest(problem.state.label, new Set(all));
    search.tryOrders(problem.state.label, all, 0);
  };
  if (questions > 0) withinMeter(find, undefined);
  // INVARIANT: an order is returned only after it was played as a whole.
  const fewest = search.best && countQuestions(problem, search.best);
  return search.best !== null && fewest !== null && fewest < questions
    ? { order: search.best, questions: fewest }
    : { order, questions };
}

interface CountedOrder {
  readonly order: readonly number[];
  readonly questions: number;
}

/** How often an order asks a person; null if a step is denied. */
function countQuestions(
  { policy, state, steps, facts }: QuestionProblem,
  order: readonly number[],
): number | null {
  const inOrder = order.flatMap((at) => steps[at] ?? []);
  const played = playPlan(policy, state, inOrder, facts);
  const effects = played.map(({ decision }) => decision.effect);
  return effects.includes("deny") ? null : effects.filter((effect) => effect === "ask").length;
}

/** The decision on a step at a label. */
interface Outlook {
  readonly effect: Decision["effect"];
  /** It is the same at every higher label. */
  readonly isLasting: boolean;
  /** The label after it. */
  readonly label: Label;
}

class QuestionSearch {
  best: readonly number[] | null = null;
  /** The fewest questions of any order so far; a better order has fewer. */
  #fewest: number;
  readonly #problem: QuestionProblem;
  readonly #meter: Meter;
  readonly #classes = new LabelClasses();
  /** By label class and step. */
  readonly #outlooks: Outlook[][] = [];
  /** By the steps that are left: the fewest questions with which the search reached them. */
  readonly #seen = new Map<string, number>();
  readonly #order: number[] = [];

  constructor(problem: QuestionProblem, questions: number, meter: Meter) {
    this.#problem = problem;
    this.#fewest = questions;
    this.#meter = meter;
  }

  /** Tries every order of `left` and changes it. `before`: how often the placed steps ask. */
  tryOrders(label: Label, left: Set<number>, before: number): void {
    const placed = this.#order.length;
    const asked = before + this.#placeFree(label, left);
    if (left.size === 0) this.#record(asked);
    else if (this.#isNew(left, asked)) {
      for (const { step, next, cost, bound } of this.#choices(label, left, asked)) {
        if (bound >= this.#fewest) break;
        this.#meter.charge(left.size);
        const others = new Set(left);
        others.delete(step);
        this.#order.push(step);
        this.tryOrders(next, others, asked + cost);
        this.#order.pop();
      }
    }
    this.#order.length = placed;
  }

  /** Places the earliest step where several raise the label: fast, and often optimal. Changes `left`. */
  placeEarliest(start: Label, left: Set<number>): void {
    let asked = 0;
    for (let label = start; ; ) {
      asked += this.#placeFree(label, left);
      const step = [...left].find(
        (one) => this.#outlookAt(label, one).effect !== "deny" && this.#isReady(one, left),
      );
      if (step === undefined) break;
      const { effect, label: next } = this.#outlookAt(label, step);
      if (effect === "ask") asked += 1;
      this.#order.push(step);
      left.delete(step);
      label = next;
    }
    if (left.size === 0) this.#record(asked);
    this.#order.length = 0;
  }

  #record(asked: number): void {
    if (asked >= this.#fewest) return;
    this.#fewest = asked;
    this.best = [...this.#order];
  }

  /** Places steps that affect no other and ask equally often anywhere; returns how many questions they ask. */
  #placeFree(label: Label, left: Set<number>): number {
    let asked = 0;
    const isFinal = !this.#canRaise(label, left);
    for (let before = -1; before !== left.size; ) {
      before = left.size;
      for (const step of left) {
        this.#meter.charge(1);
        const { effect, isLasting, label: next } = this.#outlookAt(label, step);
        if (effect === "deny" || next !== label || (effect === "ask" && !(isLasting || isFinal))) continue;
        if (!this.#isReady(step, left)) continue;
        left.delete(step);
        this.#order.push(step);
        if (effect === "ask") asked += 1;
      }
    }
    return asked;
  }

  /** Whether any of these steps could raise the label. If not, each asks the same wherever it stands. */
  #canRaise(label: Label, left: ReadonlySet<number>): boolean {
    this.#meter.charge(left.size);
    for (const step of left) {
      const { effect, label: next } = this.#outlookAt(label, step);
      if (effect !== "deny" && next !== label) return true;
    }
    return false;
  }

  /** Whether the search reaches these steps for the first time with so few questions. */
  #isNew(left: ReadonlySet<number>, asked: number): boolean {
    this.#meter.charge(4 * left.size);
    const key = [...left].join();
    if ((this.#seen.get(key) ?? Number.POSITIVE_INFINITY) <= asked) return false;
    this.#seen.set(key, asked);
    return true;
  }

  /** The steps that may go next, the most promising first. */
  #choices(label: Label, left: ReadonlySet<number>, asked: number) {
    this.#meter.charge(2 * left.size);
    const bounds = new Map<Label, number>();
    return [...left]
      .flatMap((step) => {
        const { effect, label: next } = this.#outlookAt(label, step);
        if (effect === "deny" || !this.#isReady(step, left)) return [];
        const after = bounds.get(next) ?? this.#lastingQuestions(next, left);
        bounds.set(next, after);
        const cost = effect === "ask" ? 1 : 0;
        const own = this.#outlookAt(next, step);
        // A step doesn't wait for itself.
        const others = after - (own.effect === "ask" && own.isLasting ? 1 : 0);
        return [{ step, next, cost, bound: asked + cost + others }];
      })
      .sort((one, other) => one.bound - other.bound);
  }

  /** How often the steps that are left ask at least, in any order, from a label on. */
  #lastingQuestions(label: Label, left: ReadonlySet<number>): number {
    let count = 0;
    for (const step of left) {
      this.#meter.charge(1);
      const { effect, isLasting } = this.#outlookAt(label, step);
      if (effect === "ask" && isLasting) count += 1;
    }
    return count;
  }

  #isReady(step: number, left: ReadonlySet<number>): boolean {
    const after = this.#problem.after[step] ?? [];
    this.#meter.charge(after.length);
    return !after.some((before) => left.has(before));
  }

  #outlookAt(label: Label, at: number): Outlook {
    const number = this.#classes.classOf(label);
    const outlooks = this.#outlooks[number] ?? [];
    this.#outlooks[number] = outlooks;
    const known = outlooks[at] ?? this.#decide(label, at);
    outlooks[at] = known;
    return known;
  }

  #decide(label: Label, at: number): Outlook {
    const { policy, state, steps, facts } = this.#problem;
    const step = steps[at];
    if (step === undefined) return { effect: "deny", isLasting: true, label };
    this.#meter.charge(DECISION_STEPS);
    const { effect, reasons, source } = decideStep(policy, { ...state, label }, step, facts).decision;
    const isLasting = reasons.some((reason) => effectOfReason(reason) === effect && lasts(reason));
    if (source === null || flowsTo(state.lattice, source, label)) return { effect, isLasting, label };
    const next = this.#classes.classOf(join(state.lattice, label, parseLabel(state.lattice, source)));
    return { effect, isLasting, label: this.#classes.labels[next] ?? label };
  }
}

/** Whether a reason also holds at every higher label. Unknown for conditions and rules, so false. */
const lasts = (reason: Reason): boolean =>
  reason.code === "approval-required" ? !CHANGING.has(reason.because) : LASTING.has(reason.code);

const LASTING: ReadonlySet<ReasonCode> = new Set<ReasonCode>(["not-endorsed", "flow-blocked"]);
const CHANGING: ReadonlySet<AskCause> = new Set<AskCause>(["condition", "condition-unclear", "rule"]);
