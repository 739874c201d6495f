/** Labels as ranks and sets: the reference for `src/core/label/label.ts`, to be checked by eye. */
import type { LabelDeclaration, Lattice, PolicyDeclaration } from "../src/core/index.ts";

/** A label, or a clearance: then `trust` is the least that it demands. A `*` among the categories is all of them. */
export interface Label {
  readonly level: number;
  readonly categories: ReadonlySet<string>;
  readonly trust: number;
}

export const latticeOf = (declaration: PolicyDeclaration): Lattice => ({
  levels: declaration.levels ?? ["public", "internal", "confidential", "secret"],
  trust: declaration.trust ?? ["untrusted", "trusted"],
});

function label(level: number, categories: Iterable<string>, trust: number): Label {
  return { level, categories: new Set(categories), trust };
}

export const bottom = ({ trust }: Lattice): Label => label(0, [], trust.length - 1);
export const top = ({ levels }: Lattice): Label => label(levels.length, "*", 0);

export function join(left: Label, right: Label): Label {
  const [level, trust] = [Math.max(left.level, right.level), Math.min(left.trust, right.trust)];
  return label(level, left.categories.union(right.categories), trust);
}

/** Whether data so labelled may go to that clearance; between two labels, the order of the lattice. */
export const flowsTo = (label: Label, clearance: Label): boolean =>
  label.level <= clearance.level &&
  (clearance.categories.has("*") || label.categories.isSubsetOf(clearance.categories)) &&
  label.trust >= clearance.trust;

/** The label that these names spell; null where the lattice doesn't know the level or the trust. */
function spell(lattice: Lattice, level: string, categories: readonly string[], least: string): Label | null {
  const height = level === "*" ? lattice.levels.length : lattice.levels.indexOf(level);
  const trust = lattice.trust.indexOf(least);
  return height < 0 || trust < 0 ? null : label(height, categories, trust);
}

/** Whether a source names only what the lattice knows. */
export const isKnown = (lattice: Lattice, { level, trust }: LabelDeclaration): boolean =>
  spell(lattice, level ?? `${lattice.levels[0]}`, [], trust ?? `${lattice.trust[0]}`) !== null;

/** What a source brings in: what is left out is the least, what is unknown is the top. */
export const sourceOf = (lattice: Lattice, { level, categories = [], trust }: LabelDeclaration): Label =>
  spell(lattice, level ?? `${lattice.levels[0]}`, categories, trust ?? `${lattice.trust.at(-1)}`) ??
  top(lattice);

/** What a sink may receive: no category, and any trust, where they are left out; if unknown, nothing (null). */
export const clearanceOf = (lattice: Lattice, { level = "", categories = [], trust }: LabelDeclaration) =>
  spell(lattice, level, categories, trust ?? `${lattice.trust[0]}`);

/** A label that nobody vouches for: the top, where anything about it is wrong. */
export function labelOf(lattice: Lattice, value: unknown): Label {
  const { level, categories, trust }: Record<string, unknown> = Object(value);
  const names: readonly unknown[] = Array.isArray(categories) ? categories : [null];
  const whole = names.every((name) => typeof name === "string");
  if (!whole || typeof level !== "string" || typeof trust !== "string") return top(lattice);
  return spell(lattice, level, names, trust) ?? top(lattice);
}
