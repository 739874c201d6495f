/**
 * The differences between two definitions of a tool, for a person to read: by path, with both values. THREAT: a
 * server writes definitions, and may hide a change in invisible characters, behind a long text, or among a thousand
 * other changes.
 */
import { toVisibleJson } from "../../json/visible-json.ts";

export interface Difference {
  /** A JSON Pointer (RFC 6901); empty for the whole. */
  readonly path: string;
  /** JSON text, truncated, with escapes for invisible characters; null if there was nothing. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface Comparison {
  readonly difference: readonly Difference[];
  /** Further differences that are not listed. */
  readonly more: number;
}

const MAX_LISTED = 100;
const MAX_SHOWN = 2000;
/** Characters shown before the first change of a long text. */
const LEAD = 60;

type Pair = readonly [path: string, before: unknown, after: unknown];

/** Compares two JSON values. A member or an item that only one has is shown as a whole. */
export function compare(before: unknown, after: unknown): Comparison {
  const found: Difference[] = [];
  let more = 0;
  const waiting: Pair[] = [["", before, after]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const inner = innerPairs(pair);
    if (inner) waiting.push(...inner.reverse());
    else if (!isSame(pair)) {
      if (found.length < MAX_LISTED) found.push(toDifference(pair));
      else more += 1;
    }
  }
  return { difference: found, more };
}

/** The members of two objects, or the items of two lists; null if the values are compared as a whole. */
function innerPairs([path, before, after]: Pair): Pair[] | null {
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return null;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].map((key) => [
    `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    valueIn(before, key),
    valueIn(after, key),
  ]);
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

const valueIn = (container: object, key: string): unknown =>
  Object.hasOwn(container, key) ? Reflect.get(container, key) : undefined;

/** Compares values that aren't containers of the same kind. */
const isSame = ([, before, after]: Pair): boolean => Object.is(before, after);

function toDifference([path, before, after]: Pair): Difference {
  const texts = [before, after].map((value) => (value === undefined ? null : toVisibleJson(value)));
  const [left = null, right = null] = texts;
  const start = left === null || right === null ? 0 : firstChange(left, right);
  return { path: toVisibleJson(path).slice(1, -1), before: cut(left, start), after: cut(right, start) };
}

function firstChange(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}

/** A text from shortly before its first change, with the number of omitted characters. */
function cut(text: string | null, change: number): string | null {
  if (text === null || text.length <= MAX_SHOWN) return text;
  const start = Math.max(0, change - LEAD);
  const end = start + MAX_SHOWN;
  const before = start > 0 ? `[${start} characters] … ` : "";
  const after = end < text.length ? ` … [${text.length - end} more characters]` : "";
  return `${before}${text.slice(start, end)}${after}`;
}
