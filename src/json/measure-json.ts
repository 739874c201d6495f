/** Size, depth and names of a parsed JSON value, found without recursion: what is measured may be nested 100,000 deep. */
import { toEnd } from "./parse-json.ts";

export type Measure = "fits" | "large" | "too-large" | "too-deep";

/** So many bytes or values make a value a large one: whoever works on it gives others their turn. */
const LARGE_BYTES = 1024 * 1024;
const LARGE_VALUES = 10_000;

type BytesOf = (scalar: unknown) => number;
type Container = Readonly<Record<string, unknown>> | readonly unknown[];

export interface JsonBounds {
  /** As JSON, without the escapes in its texts. */
  readonly bytes: number;
  readonly depth: number;
  /** Lists, objects and what is in them; left out, any number. */
  readonly values?: number;
  /** Different names of members; left out, any number. */
  readonly names?: number;
}

/** Whether a value is within its bounds, and far from small. */
export function measureJson(value: unknown, bounds: JsonBounds): Measure {
  // Almost every result is far below its limit even if each character took three bytes, which costs nothing to count.
  const rough = walk(value, bounds, mostBytes, countNames(bounds, mostBytes));
  return rough === "too-large" ? walk(value, bounds, exactBytes, countNames(bounds, exactBytes)) : rough;
}

const mostBytes: BytesOf = (scalar) => (typeof scalar === "string" ? scalar.length * 3 + 2 : 25);

/** Escapes aren't counted, which would take longer than all the rest: what came over the wire is bounded with them. */
const exactBytes: BytesOf = (scalar) =>
  typeof scalar === "string" ? Buffer.byteLength(scalar) + 2 : String(scalar).length;

/** The bytes of a name; those of one name too many are infinite. */
function countNames({ names: most }: JsonBounds, bytesOf: BytesOf): (name: string) => number {
  if (most === undefined) return bytesOf;
  const names = new Set<string>();
  return (name) => (names.add(name).size > most ? Number.POSITIVE_INFINITY : bytesOf(name));
}

function walk(
  root: unknown,
  { bytes, depth, values = Number.POSITIVE_INFINITY }: JsonBounds,
  bytesOf: BytesOf,
  nameBytes: (name: string) => number,
): Measure {
  if (!isContainer(root)) return bytesOf(root) > bytes ? "too-large" : "fits";
  // INVARIANT: both grow together. Only containers are kept, so this takes less memory than what it measures.
  const open: Container[] = [root];
  const levels: number[] = [1];
  let left = bytes;
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const level = levels.pop() ?? 0;
    if (level > depth) return "too-deep";
    const visit = (child: unknown): void => {
      left -= 1;
      count += 1;
      if (!isContainer(child)) left -= bytesOf(child);
      else {
        open.push(child);
        levels.push(level + 1);
      }
    };
    left -= openingBytes(next, nameBytes);
    if (isArray(next)) next.forEach(visit);
    else for (const key of Object.keys(next)) visit(next[key]);
    if (left < 0 || count > values) return "too-large";
  }
  return toSize(bytes - left, count);
}

const toSize = (bytes: number, values: number): Measure =>
  bytes > LARGE_BYTES || values > LARGE_VALUES ? "large" : "fits";

/** Brackets, and an object's keys with their colons. A comma is counted at each child, so one too many here. */
function openingBytes(container: Container, nameBytes: (name: string) => number): number {
  if (isArray(container)) return container.length === 0 ? 2 : 1;
  const keys = Object.keys(container);
  return keys.reduce((sum, key) => sum + nameBytes(key) + 1, keys.length === 0 ? 2 : 1);
}

/** For a rough length, each value counts as so many characters, and each name. */
const OVERHEAD = 8;

/** Values that are measured in one stage. */
const STAGE_VALUES = 10_000;

/** About how many characters a value has as JSON, without escapes. Beyond `most`, some number that is larger. */
export const roughLength = (value: unknown, most = Number.POSITIVE_INFINITY): number =>
  toEnd(roughLengthInStages(value, most));

/** The same in stages, between which the caller may let others work. */
export function* roughLengthInStages(
  value: unknown,
  most = Number.POSITIVE_INFINITY,
): Generator<void, number> {
  const open: unknown[] = [value];
  let length = 0;
  for (let count = 1; open.length > 0 && length <= most; count += 1) {
    const next = open.pop();
    length += isContainer(next) ? openRoughly(next, open, most) : roughLengthOf(next);
    if (count % STAGE_VALUES === 0) yield;
  }
  return length;
}

const roughLengthOf = (scalar: unknown): number =>
  OVERHEAD + (typeof scalar === "string" ? scalar.length : 0);

/** The length of a container without what is in it, which is added to `open`; with more than `most` items, their number. */
function openRoughly(container: Container, open: unknown[], most: number): number {
  const items = Object.values(container);
  if (items.length > most) return OVERHEAD + items.length;
  for (const item of items) open.push(item);
  if (isArray(container)) return OVERHEAD;
  return Object.keys(container).reduce((sum, name) => sum + OVERHEAD + name.length, OVERHEAD);
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

const isArray = (value: Container): value is readonly unknown[] => Array.isArray(value);
