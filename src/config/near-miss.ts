/** What somebody probably meant: the known name that is nearest to a wrong one, if any is near enough. */
import { quote } from "./quote.ts";
import type { TextTree } from "./tree.ts";

const LONGEST_NAME = 64;
/** How many names a suggester compares in all: about a second's worth. */
const MOST_COMPARISONS = 50_000;

/** A name without what people mix up: case, `-`, `_` and spaces. */
const folded = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, "");

/** How many slips are forgiven: one in three characters, three at most; none in shorter names. */
const slipsFor = (name: string): number => Math.min(3, Math.floor(name.length / 3));

/** The nearest known name, or undefined where none is near. */
export function nearMiss(wrong: string, known: Iterable<string>): string | undefined {
  if (wrong.length > LONGEST_NAME) return undefined;
  const sought = folded(wrong);
  let nearest: string | undefined;
  let least = slipsFor(wrong) + 1;
  for (const name of known) {
    if (least === 0) break;
    const slips = distance(sought, folded(name), least);
    if (slips < least) {
      least = slips;
      nearest = name;
    }
  }
  return nearest;
}

/**
 * Edits between two words, a swap of neighbours counting as one (optimal string alignment). Infinite where there
 * are certainly `enough` or more.
 */
function distance(left: string, right: string, enough: number): number {
  if (Math.abs(left.length - right.length) >= enough) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= left.length; row += 1) {
    rows.push(nextRow(rows, left, right));
    // A swap reaches back two rows, so two must be full of too many.
    if (Math.min(...(rows[row] ?? []), ...(rows[row - 1] ?? [])) >= enough) return Number.POSITIVE_INFINITY;
  }
  return rows[left.length]?.[right.length] ?? 0;
}

function nextRow(rows: readonly number[][], left: string, right: string): number[] {
  const row = rows.length;
  const at = (line: number, column: number): number => rows[line]?.[column] ?? Number.POSITIVE_INFINITY;
  let before = row;
  const current = [before];
  for (let column = 1; column <= right.length; column += 1) {
    const cost = left[row - 1] === right[column - 1] ? 0 : 1;
    const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
    const swap = isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
    before = Math.min(at(row - 1, column) + 1, before + 1, at(row - 1, column - 1) + cost, swap);
    current.push(before);
  }
  return current;
}

/** The end of a sentence about a wrong name: the one that was probably meant, or a full stop. */
export function didYouMean(wrong: string, known: Iterable<string>): string {
  const near = nearMiss(wrong, known);
  return near === undefined ? "." : `; did you mean ${quote(near)}?`;
}

/**
 * The same for a value in the file. One that a variable filled in gets no suggestion, which would tell what the
 * variable holds.
 */
export const didYouMeanValue = (tree: TextTree, known: Iterable<string>): string =>
  tree.value === tree.written ? didYouMean(tree.value, known) : ".";

/** The end of a sentence about a wrong value. */
export type Suggester = (tree: TextTree) => string;

/**
 * The same for many values and one long list of names, as tools are. Where a file has so many wrong ones that
 * the search would take long, the later ones get no suggestion.
 */
export function createSuggester(known: readonly string[]): Suggester {
  let spent = 0;
  return (tree) => {
    const compared = spent < MOST_COMPARISONS ? known : [];
    spent += compared.length;
    return didYouMeanValue(tree, compared);
  };
}
