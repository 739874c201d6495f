/** The clearances of a tool as numbers, for fast comparison with many labels. */

import type { Cause } from "../decision/reason.ts";
import type { Contribution } from "../state/state.ts";
import type { ToolNames } from "../tools/names.ts";
import { ANY, type Label, type Lattice } from "./label.ts";
import { LabelClasses } from "./label-classes.ts";

/** Causes that a refusal names, and categories of each that it names: one refusal must not repeat a whole session. */
const MAX_CAUSES = 8;
const MAX_CATEGORIES = 8;

/** The first causes that block a call, and the number of further ones. */
interface Causes {
  readonly causes: readonly Cause[];
  readonly more: number;
}

/** A label reduced to its blocking categories if it has many. */
interface CutLabel {
  readonly label: Label;
  readonly moreCategories?: number;
}

/**
 * Says of labels what `flowsTo` says of each of its clearances. What it is compared by is its own and never frozen:
 * reading what is frozen takes several times as long.
 */
export class Sink {
  readonly #ceilings: Ceiling[] = [];
  readonly #causes = new WeakMap<readonly Contribution[], Causes>();
  readonly #cuts = new WeakMap<Label, CutLabel>();
  readonly #names: ToolNames;

  constructor(lattice: Lattice, clearances: readonly Label[], names: ToolNames) {
    for (const clearance of clearances) this.#ceilings.push(new Ceiling(lattice, clearance));
    this.#names = names;
    Object.freeze(this);
  }

  /** Whether data with this label may go to one of its clearances. */
  receives(label: Label): boolean {
    for (const ceiling of this.#ceilings) if (ceiling.receives(label)) return true;
    return false;
  }

  /**
   * The causes that block a call, for a run that sees every tool. Computed once for each list of contributions,
   * which is immutable.
   */
  causesIn(contributions: readonly Contribution[]): Causes {
    const known = this.#causes.get(contributions);
    if (known !== undefined) return known;
    const found = this.findCauses(contributions);
    this.#causes.set(contributions, found);
    return found;
  }

  /** What raised the session's label and goes beyond one of the clearances. `isHidden`: tools that aren't named. */
  findCauses(contributions: readonly Contribution[], isHidden?: (tool: string) => boolean): Causes {
    const above = contributions.filter(({ raised, label }) => raised && !this.#receivesByAll(label));
    const causes = above.slice(0, MAX_CAUSES).map((one) => this.#toCause(one, isHidden));
    return { causes: Object.freeze(causes), more: above.length - causes.length };
  }

  /** A label as a refusal has it. Computed once for each label, which is immutable: many refusals have the same. */
  cut(label: Label): CutLabel {
    if (label.categories.length <= MAX_CATEGORIES) return { label };
    const known = this.#cuts.get(label);
    if (known !== undefined) return known;
    const made = this.#cut(label);
    this.#cuts.set(label, made);
    return made;
  }

  #cut(label: Label): CutLabel {
    const received = (category: string): boolean =>
      this.#ceilings.length > 0 && this.#ceilings.every((one) => one.has(category));
    const inTheWay = label.categories.filter((category) => !received(category));
    const categories = Object.freeze(inTheWay.slice(0, MAX_CATEGORIES));
    const cut = Object.freeze({ ...label, categories });
    const moreCategories = inTheWay.length - categories.length;
    return moreCategories === 0 ? { label: cut } : { label: cut, moreCategories };
  }

  #toCause(
    { call, step, tool, dataset, label, reported }: Contribution,
    isHidden?: (tool: string) => boolean,
  ): Cause {
    const cut = { ...(reported && { reported }), ...this.cut(label) };
    if (tool === null || isHidden?.(tool) !== true)
      return Object.freeze({ call, step, tool: tool && this.#names.shown(tool), dataset, ...cut });
    return Object.freeze({
      call,
      step,
      tool: null,
      dataset: dataset === tool ? UNDISCLOSED : dataset,
      ...cut,
    });
  }

  #receivesByAll(label: Label): boolean {
    return this.#ceilings.every((ceiling) => ceiling.receives(label));
  }
}

/** Replaces the name of a data set that would reveal a tool which this run doesn't see. */
const UNDISCLOSED = "undisclosed";

class Ceiling {
  readonly #levels: string[];
  readonly #trusts: string[];
  readonly #level: number;
  readonly #trust: number;
  readonly #categories: Set<string> | null;

  constructor({ levels, trust }: Lattice, clearance: Label) {
    this.#levels = [...levels];
    this.#trusts = [...trust];
    const isAny = clearance.categories.includes(ANY);
    const least = trust.indexOf(clearance.trust);
    // The top label, as a clearance, receives whatever there is.
    const isTop = clearance.level === ANY && isAny && least === 0;
    this.#level = isTop
      ? ABOVE_ALL
      : clearance.level === ANY
        ? levels.length
        : levels.indexOf(clearance.level);
    this.#trust = isTop ? -1 : least < 0 ? ABOVE_ALL : least;
    this.#categories = isAny ? null : new Set(clearance.categories);
  }

  receives({ level, trust, categories }: Label): boolean {
    return (
      this.#rankOf(level) <= this.#level &&
      rankIn(this.#trusts, trust) >= this.#trust &&
      (categories.length === 0 || categories.every((category) => this.has(category)))
    );
  }

  #rankOf(level: string): number {
    const rank = rankIn(this.#levels, level);
    if (rank >= 0) return rank;
    return level === ANY ? this.#levels.length : ABOVE_ALL;
  }

  has(category: string): boolean {
    return this.#categories === null || this.#categories.has(category);
  }
}

/** The rank of a level that the lattice doesn't know. */
const ABOVE_ALL = 1e6;

function rankIn(names: readonly string[], name: string): number {
  for (let rank = 0; rank < names.length; rank += 1) if (names[rank] === name) return rank;
  return -1;
}

/** Sinks for tools: those with equal clearances share one. */
export function createSinks(
  lattice: Lattice,
  names: ToolNames,
): (clearances: readonly Label[] | null) => Sink | null {
  const classes = new LabelClasses();
  const sinks = new Map<string, Sink>();
  return (clearances) => {
    if (clearances === null) return null;
    const key = clearances.map((clearance) => classes.classOf(clearance)).join();
    const sink = sinks.get(key) ?? new Sink(lattice, clearances, names);
    sinks.set(key, sink);
    return sink;
  };
}
