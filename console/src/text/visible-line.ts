/** Hostile text where no markup can stand, such as in what a screen reader is told. */
import { toVisibleText } from "../../../src/json/visible-json.ts";

const MAX_LENGTH = 80;

/** On one line, what can't be seen by its code, cut to a length that can be listened to. */
export function toVisibleLine(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return toVisibleText(cut).replaceAll("\n", "\\n");
}
