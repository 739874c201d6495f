/** Suggestions for wrong names and values of a policy file. */
import { nearMiss } from "../../core/index.ts";
import { quote } from "./quote.ts";
import type { TextTree } from "./tree.ts";

/** How many names a suggester compares in all: about a second's worth. */
const MAX_COMPARISONS = 50_000;

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
    const compared = spent < MAX_COMPARISONS ? known : [];
    spent += compared.length;
    return didYouMeanValue(tree, compared);
  };
}
