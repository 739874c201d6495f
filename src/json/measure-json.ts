/** Size, depth and names of a parsed JSON value, found without recursion: what is measured may be nested 100,000 deep. */
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

/** About how many characters a value has as JSON, without escapes. Beyond `most`, some number that is larger. */
export function roughLength(value: unknown, most = Number.POSITIVE_INFINITY): number {
  const open: unknown[] = [value];
  let length = 0;
  while (open.length > 0 && length <= most) {
    const next = open.pop();
    length += OVERHEAD;
    if (typeof next === "string") length += next.length;
    if (!isContainer(next)) continue;
    if (!isArray(next)) for (const name of Object.keys(next)) length += OVERHEAD + name.length;
    const items = Object.values(next);
    if (length + items.length > most) return length + items.length;
    for (const item of items) open.push(item);
  }
  return length;
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

const isArray = (value: Container): value is readonly unknown[] => Array.isArray(value);
