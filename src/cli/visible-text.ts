/**
 * Hostile text made harmless before it is printed. Whoever names a tool, writes a journal or a policy could
 * otherwise move the cursor, recolour a verdict or reverse a name on the operator's terminal.
 */

export { toVisibleJson as toJsonText } from "../session/visible-json.ts";

// Control, format, private and unassigned characters, half surrogates, what breaks a line, what takes no place.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text on one line, with every control, format and bidirectional character written as `\u{…}`. */
export const toVisible = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);

const LONGEST_NAME = 100;

/** A name cut to a length that a table can show. */
export const shorten = (name: string): string =>
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
