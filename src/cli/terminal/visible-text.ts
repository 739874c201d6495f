/**
 * Hostile text made harmless before it is printed. Whoever names a tool, writes a journal or a policy could
 * otherwise move the cursor, recolour a verdict or reverse a name on the operator's terminal.
 */
import { INVISIBLE } from "../../json/visible-json.ts";

/** Text on one line, with every control, format and bidirectional character written as `\u{…}`. */
export const toVisible = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);

const MAX_NAME_LENGTH = 100;

/** A name cut to a length that a table can show. */
export const shorten = (name: string): string =>
  name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
