/** Hostile text where no markup can stand, such as in what a screen reader is told. */
import { toVisibleText } from "../../../src/json/visible-json.ts";

const LONGEST = 80;

/** On one line, what can't be seen by its code, cut to a length that can be listened to. */
export function toVisibleLine(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return toVisibleText(cut).replaceAll("\n", "\\n");
}
