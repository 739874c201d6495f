/**
 * A name as one word of a shell's command line. THREAT: a server names its tools, and a person pastes this into a
 * terminal: no part of a name may end the word, and no character may control the terminal.
 */
import { toVisibleText } from "../../../src/json/visible-json.ts";

const PLAIN = /^[A-Za-z0-9_.:@%+=,/][A-Za-z0-9_.:@%+=,/-]*$/;

/** Quoted for POSIX shells; as `$'…'` (POSIX 2024) if it has invisible characters. */
export function toShellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (isVisible(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = new TextEncoder().encode(text);
  return `$'${[...bytes].map((byte) => toEscape(byte)).join("")}'`;
}

const isVisible = (text: string): boolean => !text.includes("\n") && toVisibleText(text) === text;

/** Three octal digits: a hexadecimal escape would include digits that follow. */
function toEscape(byte: number): string {
  const character = String.fromCharCode(byte);
  return PLAIN.test(character) || character === "-" ? character : `\\${byte.toString(8).padStart(3, "0")}`;
}

/** The command that accepts the reviewed definition, and no other. */
export function acceptCommand(tool: string, hash: string | null): string {
  const bound = hash === null ? "" : ` --hash ${toShellWord(hash)}`;
  // A name that begins with a dash isn't an option.
  const name = tool.startsWith("-") ? `-- ${toShellWord(tool)}` : toShellWord(tool);
  return `sluicegate tools accept${tool.startsWith("-") ? bound : ""} ${name}${tool.startsWith("-") ? "" : bound}`;
}
