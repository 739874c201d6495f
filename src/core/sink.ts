/** What may be sent to a tool: its clearances as numbers, to compare many labels with. */
import { ANY, type Label, type Lattice } from "./label.ts";
import { LabelClasses } from "./label-classes.ts";
import type { ToolNames } from "./names.ts";
import type { Cause } from "./reason.ts";
import type { Contribution } from "./state.ts";

/**
 * Says of labels what `flowsTo` says of each of its clearances. What it is compared by is its own and never frozen:
 * reading what is frozen takes several times as long.
 */
export class Sink {
  readonly #ceilings: Ceiling[] = [];
  readonly #causes = new WeakMap<readonly Contribution[], readonly Cause[]>();
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
   * What in a session stands in the way, as a run is told that sees every tool. Found once for each list of
   * contributions, which nothing ever changes.
   */
  causesIn(contributions: readonly Contribution[]): readonly Cause[] {
    const known = this.#causes.get(contributions);
    return known ?? this.#findCauses(contributions);
  }

  #findCauses(contributions: readonly Contribution[]): readonly Cause[] {
    const causes = Object.freeze(this.above(contributions).map((one) => toCause(one, this.#names)));
    this.#causes.set(contributions, causes);
    return causes;
  }

  /** What raised the session's label and goes beyond one of the clearances. */
  above(contributions: readonly Contribution[]): readonly Contribution[] {
    return contributions.filter(({ raised, label }) => raised && !this.#receivesByAll(label));
  }

  #receivesByAll(label: Label): boolean {
    return this.#ceilings.every((ceiling) => ceiling.receives(label));
  }
}

/** A contribution as a cause, its tool by the name that is shown. */
export const toCause = ({ call, step, tool, dataset, label }: Contribution, names: ToolNames): Cause =>
  Object.freeze({ call, step, tool: tool === null ? null : names.shown(tool), dataset, label });

class Ceiling {
  readonly #levels: string[];
  readonly #trusts: string[];
  readonly #level: number;
  readonly #trust: number;
  readonly #categories: string[] | null;

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
    this.#categories = isAny ? null : [...clearance.categories];
  }

  receives({ level, trust, categories }: Label): boolean {
    return (
      this.#rankOf(level) <= this.#level &&
      rankIn(this.#trusts, trust) >= this.#trust &&
      (categories.length === 0 || this.#has(categories))
    );
  }

  #rankOf(level: string): number {
    const rank = rankIn(this.#levels, level);
    if (rank >= 0) return rank;
    return level === ANY ? this.#levels.length : ABOVE_ALL;
  }

  #has(categories: readonly string[]): boolean {
    const own = this.#categories;
    return own === null || categories.every((category) => own.includes(category));
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
