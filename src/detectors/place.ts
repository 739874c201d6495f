/**
 * Where in a result something was found, for people: a path of plain keys and positions.
 * THREAT: keys are an upstream's, and may be what was found, or hold a text for readers of the journal. A key stands
 * in a place only where it is a plain word that shares nothing with any value that was found.
 */
import type { Step } from "./read-texts.ts";

/** The place of the result itself. */
export const WHOLE = "(all)";

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/;
const MAX_STEPS = 16;
/** Characters in a row that a key may not share with a value. */
const SHARED = 8;

/** Writes places, with `found` being the text of all that was found. */
export function createPlaces(found: string): (step: Step | null) => string {
  const known = new Map<string, boolean>();
  const isShown = (key: string): boolean => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const shown = PLAIN_KEY.test(key) && !sharesText(key, found);
    known.set(key, shown);
    return shown;
  };
  return (step) => {
    const steps: string[] = [];
    for (let at = step; at !== null; at = at.parent) steps.push(toText(at, isShown));
    if (steps.length === 0) return WHOLE;
    const path = steps.reverse();
    const kept = path.length > MAX_STEPS ? [...path.slice(0, MAX_STEPS), "…"] : path;
    return kept.join("").replace(/^\./, "");
  };
}

/** A list's position as `[3]`, a key as `.name`, and one that isn't shown by its position, as `{3}`. */
function toText({ at, position }: Step, isShown: (key: string) => boolean): string {
  if (typeof at === "number") return `[${at}]`;
  return isShown(at) ? `.${at}` : `{${position}}`;
}

function sharesText(key: string, found: string): boolean {
  for (let start = 0; start + SHARED <= key.length; start += 1) {
    if (found.includes(key.slice(start, start + SHARED))) return true;
  }
  return false;
}
