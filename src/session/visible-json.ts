/** JSON text that a person can be shown: what an author of it has hidden in invisible characters shows. */

/**
 * Control, format, private and unassigned characters, half surrogates, what breaks a line, what takes no place, and
 * every blank but the space: all of them but U+2800 are called so by Unicode. And marks that are piled up so that they
 * cover other lines.
 */
export const INVISIBLE =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{4})\p{M}/gu;

const unitsOf = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** JSON whose invisible characters are escaped as JSON does it, so that it prints harmlessly and reads back exactly. */
export function toVisibleJson(value: unknown, indent?: number): string {
  // INVARIANT: a raw line feed in JSON text is indentation, never content.
  return toVisibleText(JSON.stringify(value, null, indent));
}

/** Text whose invisible characters are written as JSON escapes them; line feeds stay. */
export const toVisibleText = (text: string): string =>
  text.replace(INVISIBLE, (character) => (character === "\n" ? character : unitsOf(character)));
