/** JSON text that a person can be shown: what an author of it has hidden in invisible characters shows. */

/** Characters of the scripts that are written from right to left, as a part of a class: what turns the direction of text. */
export const RIGHT_TO_LEFT =
  "\\u0590-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFF\\u{10800}-\\u{10FFF}\\u{1E800}-\\u{1EFFF}";

const RTL = `[${RIGHT_TO_LEFT}]`;
/**
 * Where such a character turns what isn't of its script: a sign that follows no letter of it, and letters between Latin
 * letters or digits. THREAT: `111111`, U+05C3 and `999999` are laid out as `999999:111111`.
 */
const TURNING = [
  `(?=${RTL})(?<!(?=${RTL})[\\p{L}\\p{M}])[^\\p{L}\\p{M}\\p{C}]`,
  `(?=${RTL})(?<=[0-9A-Za-z]${RTL}{0,20})${RTL}(?=${RTL}{0,20}[0-9A-Za-z])`,
].join("|");

/**
 * Control, format, private and unassigned characters, half surrogates, what breaks a line, what takes no place, and
 * every blank but the space: all of them but U+2800 are called so by Unicode. Marks that are piled up so that they
 * cover other lines. And what turns the direction of the text around it.
 */
export const INVISIBLE = new RegExp(
  `[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]|(?! )\\p{Zs}|(?<=\\p{M}{4})\\p{M}|${TURNING}`,
  "gu",
);

const unitsOf = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Text on one line, with every control, format and bidirectional character written as `\u{…}`. */
export const toVisible = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);

/** JSON whose invisible characters are escaped as JSON does it, so that it prints harmlessly and reads back exactly. */
export function toVisibleJson(value: unknown, indent?: number): string {
  // INVARIANT: a raw line feed in JSON text is indentation, never content.
  return toVisibleText(JSON.stringify(value, null, indent));
}

/** Text whose invisible characters are written as JSON escapes them; line feeds stay. */
export const toVisibleText = (text: string): string =>
  text.replace(INVISIBLE, (character) => (character === "\n" ? character : unitsOf(character)));
