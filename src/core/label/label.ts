/**
 * The lattice of labels: level × categories × trust, with its order and join. It knows nothing about tools. Unknown
 * names count as the worst case: unknown data is above every clearance, and an unknown clearance receives nothing.
 * The order follows Denning, "A Lattice Model of Secure Information Flow" (1976), with integrity as the dual axis
 * after Biba (1977).
 */
import { SluicegateError } from "../../errors/index.ts";

/** The label of data. Plain data; the same shape everywhere, also on the wire and in the journal. */
export interface Label {
  /** A name from the lattice's levels, or `*`: above them all. */
  readonly level: string;
  /** Sorted names without repeats; `["*"]` is every category. */
  readonly categories: readonly string[];
  /** A name from the lattice's trust list. In a clearance: the least trust that it requires. */
  readonly trust: string;
}

/** The two ordered lists that a policy fixes, each from lowest to highest. */
export interface Lattice {
  readonly levels: readonly string[];
  readonly trust: readonly string[];
}

export const ANY = "*";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$/;

/** Whether a level, trust or category can have this name: 1 to 64 plain characters. */
export const isLabelName = (name: string): boolean => NAME.test(name);

function checkNames(kind: string, names: readonly string[]): void {
  const wrong = names.find((name) => !isLabelName(name));
  if (names.length > 0 && wrong === undefined && new Set(names).size === names.length) return;
  throw new SluicegateError("policy-invalid", `The list of ${kind} can't be used.`, {
    why:
      wrong === undefined
        ? "It is empty, or a name stands in it twice."
        : "One of its names has a character that names can't have.",
    fix: `List each of the ${kind} once, lowest first, with letters, digits and any of "_ . : / -".`,
  });
}

/**
 * A lattice from its two ordered lists, lowest first.
 * @throws SluicegateError `policy-invalid` for an empty list, a repeated or a malformed name.
 */
export function createLattice(lists: Partial<Lattice> = {}): Lattice {
  const levels = lists.levels ?? ["public", "internal", "confidential", "secret"];
  const trust = lists.trust ?? ["untrusted", "trusted"];
  checkNames("levels", levels);
  checkNames("trust", trust);
  return Object.freeze({ levels: Object.freeze([...levels]), trust: Object.freeze([...trust]) });
}

/** The lattice of a policy that names no lists of its own. */
export const DEFAULT_LATTICE: Lattice = createLattice();

const first = (names: readonly string[]): string => names[0] ?? ANY;
const last = (names: readonly string[]): string => names.at(-1) ?? ANY;

/** The lowest label: lowest level, no category, highest trust. */
export const bottomLabel = (lattice: Lattice): Label =>
  freeze(first(lattice.levels), [], last(lattice.trust));

/** The top label, for unclassified data and for labels that can't be read. It flows to no clearance but itself. */
export const topLabel = (lattice: Lattice): Label => freeze(ANY, [ANY], first(lattice.trust));

/** The lowest clearance: lowest level, no category, no required trust. */
export const lowestClearance = (lattice: Lattice): Label =>
  freeze(first(lattice.levels), [], first(lattice.trust));

function freeze(level: string, categories: readonly string[], trust: string): Label {
  return Object.freeze({ level, categories: Object.freeze(categories), trust });
}

/** Categories of one label; more count as all categories. */
const MAX_CATEGORIES = 256;

/** A label with its categories sorted and without repeats. */
export function createLabel(level: string, categories: readonly string[], trust: string): Label {
  const distinct = new Set(categories);
  const all = distinct.has(ANY) || distinct.size > MAX_CATEGORIES;
  return freeze(level, all ? [ANY] : [...distinct].sort(), trust);
}

/** Whether every name in the label is one that the lattice knows. */
export function isKnownLabel(lattice: Lattice, label: Label): boolean {
  return (label.level === ANY || lattice.levels.includes(label.level)) && lattice.trust.includes(label.trust);
}

/**
 * Reads a label from untrusted data (a store, a report): the top label if it is invalid or unknown to the lattice.
 */
export function parseLabel(lattice: Lattice, value: unknown): Label {
  if (typeof value !== "object" || value === null) return topLabel(lattice);
  const level: unknown = Reflect.get(value, "level");
  const categories: unknown = Reflect.get(value, "categories");
  const trust: unknown = Reflect.get(value, "trust");
  if (typeof level !== "string" || typeof trust !== "string" || !Array.isArray(categories))
    return topLabel(lattice);
  const names: string[] = [];
  for (const name of categories) {
    if (typeof name !== "string") return topLabel(lattice);
    names.push(name);
  }
  // The lattice's own names, since comparing identical strings is fastest.
  const known = level === ANY ? ANY : lattice.levels[lattice.levels.indexOf(level)];
  const own = lattice.trust[lattice.trust.indexOf(trust)];
  return known === undefined || own === undefined ? topLabel(lattice) : createLabel(known, names, own);
}

const rankOfLevel = (lattice: Lattice, level: string): number => {
  const rank = lattice.levels.indexOf(level);
  return rank < 0 ? lattice.levels.length : rank;
};

function levelFits(lattice: Lattice, level: string, limit: string): boolean {
  const rank = lattice.levels.indexOf(level);
  if (limit === ANY) return level === ANY || rank >= 0;
  return rank >= 0 && rank <= lattice.levels.indexOf(limit);
}

function trustFits(lattice: Lattice, trust: string, demanded: string): boolean {
  const least = lattice.trust.indexOf(demanded);
  return least >= 0 && lattice.trust.indexOf(trust) >= least;
}

function categoriesFit(categories: readonly string[], allowed: readonly string[]): boolean {
  if (categories.length === 0 || allowed.includes(ANY)) return true;
  for (const category of categories) if (!allowed.includes(category)) return false;
  return true;
}

const isTop = (lattice: Lattice, label: Label): boolean =>
  label.level === ANY && label.categories.includes(ANY) && label.trust === lattice.trust[0];

/**
 * Whether data with this label may flow to this clearance: its level is at most the clearance's, its categories are
 * all among the clearance's, and its trust is at least what the clearance requires. On two labels it is the lattice's
 * order ("at most").
 */
export function flowsTo(lattice: Lattice, label: Label, clearance: Label): boolean {
  const fits =
    levelFits(lattice, label.level, clearance.level) &&
    trustFits(lattice, label.trust, clearance.trust) &&
    categoriesFit(label.categories, clearance.categories);
  return fits || isTop(lattice, clearance);
}

/**
 * The least label at or above both: the higher level, the union of categories, the lower trust. Returns `left` itself
 * if `right` adds nothing, and the top label for an unknown name.
 */
export function join(lattice: Lattice, left: Label, right: Label): Label {
  if (!isKnownLabel(lattice, left) || !isKnownLabel(lattice, right)) return topLabel(lattice);
  if (flowsTo(lattice, right, left)) return left;
  const level =
    rankOfLevel(lattice, left.level) >= rankOfLevel(lattice, right.level) ? left.level : right.level;
  const trust =
    lattice.trust.indexOf(left.trust) <= lattice.trust.indexOf(right.trust) ? left.trust : right.trust;
  return createLabel(level, [...left.categories, ...right.categories], trust);
}

/** Above the lowest level, or in a category. */
export function isPrivate(lattice: Lattice, label: Label): boolean {
  return label.categories.length > 0 || rankOfLevel(lattice, label.level) > 0;
}

/** Below the highest trust: others may have written it. */
export const isUntrusted = (lattice: Lattice, label: Label): boolean => label.trust !== last(lattice.trust);

export const sameLabel = (left: Label, right: Label): boolean =>
  left === right ||
  (left.level === right.level &&
    left.trust === right.trust &&
    left.categories.length === right.categories.length &&
    left.categories.every((category, index) => category === right.categories[index]));
