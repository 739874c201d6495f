/** Hostile text without markup, for screen readers. */
import { toVisibleText } from "../../../src/json/visible-json.ts";

const MAX_LENGTH = 80;

/** On one line, with codes for invisible characters, truncated for listening. */
export function toVisibleLine(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return toVisibleText(cut).replaceAll("\n", "\\n");
}
