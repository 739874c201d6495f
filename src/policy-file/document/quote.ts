/** How names from a policy file stand in a message: one line, no escape sequences, not too long. */

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

/** A name in backticks. */
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
