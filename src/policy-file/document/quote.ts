/** How names from a policy file stand in a message: one line, no escape sequences, not too long; and what was meant. */
import { nearMiss } from "../../core/index.ts";
import type { TextTree } from "./tree.ts";

const MAX_LENGTH = 80;
const MAX_LISTED = 12;
// Control, format and private characters, lone surrogates and the two separators that break a line.
const UNPRINTABLE = /[\p{C}\u2028\u2029]/gu;

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;

/** Text on one line, with what can't be seen written as `\u{…}`. */
export function toPrintable(text: string): string {
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
  return short.replace(UNPRINTABLE, escaped);
}

export const quote = (name: string): string => `\`${toPrintable(name).replaceAll("`", "'")}\``;

/** Names in backticks as a list in a sentence; of many only the first are told. */
export function quoteAll(
  names: readonly string[],
  conjunction: "and" | "or" = "and",
  most: number = MAX_LISTED,
): string {
  const told = names.slice(0, most).map(quote);
  if (names.length > told.length) told.push(`${names.length - told.length} more`);
  const last = told.pop() ?? "nothing";
  return told.length === 0 ? last : `${told.join(", ")} ${conjunction} ${last}`;
}

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
