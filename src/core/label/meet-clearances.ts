/** What several tools may all receive: the meet of their clearances. */

import type { Tool } from "../tools/tool.ts";
import { ANY, createLabel, flowsTo, type Label, type Lattice, lowestClearance } from "./label.ts";

/** Clearances of a meet; more count as the lowest one. */
const MAX_CLEARANCES = 16;

/** The meet of what these tools may receive; null if none of them sends anything out. */
export function meetClearances(lattice: Lattice, tools: readonly Tool[]): readonly Label[] | null {
  let meets: readonly Label[] | null = null;
  for (const { clearances } of tools) {
    if (clearances === null) continue;
    const all: readonly Label[] =
      meets === null
        ? clearances
        : meets.flatMap((one) => clearances.map((other) => meet(lattice, one, other)));
    meets = all.filter((one, index) => !all.some((other, at) => isWider(lattice, other, at, one, index)));
    if (meets.length > MAX_CLEARANCES) return Object.freeze([lowestClearance(lattice)]);
  }
  return meets && Object.freeze([...meets]);
}

/** Whether another clearance allows everything that this one does, so that this one is redundant. */
function isWider(lattice: Lattice, other: Label, at: number, one: Label, index: number): boolean {
  if (at === index || !covers(lattice, one, other)) return false;
  return !covers(lattice, other, one) || at < index;
}

const covers = (lattice: Lattice, narrow: Label, wide: Label): boolean =>
  flowsTo(
    lattice,
    { ...narrow, trust: lattice.trust.at(-1) ?? "" },
    { ...wide, trust: lattice.trust[0] ?? "" },
  ) && lattice.trust.indexOf(wide.trust) <= lattice.trust.indexOf(narrow.trust);

/** The meet of two clearances: the lower level, the common categories, the higher required trust. */
export function meet(lattice: Lattice, left: Label, right: Label): Label {
  const rank = ({ level }: Label): number =>
    level === ANY ? lattice.levels.length : lattice.levels.indexOf(level);
  const categories = left.categories.includes(ANY)
    ? right.categories
    : right.categories.includes(ANY)
      ? left.categories
      : left.categories.filter((category) => right.categories.includes(category));
  return createLabel(
    rank(left) <= rank(right) ? left.level : right.level,
    categories,
    lattice.trust.indexOf(left.trust) >= lattice.trust.indexOf(right.trust) ? left.trust : right.trust,
  );
}
