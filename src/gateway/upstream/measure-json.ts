/** Size and depth of a parsed JSON value, found without recursion: what is measured may be nested 100,000 deep. */
export type Measure = "fits" | "too-large" | "too-deep";

type BytesOf = (scalar: unknown) => number;
type Container = Readonly<Record<string, unknown>> | readonly unknown[];

/** Whether a value has at most `bytes` bytes as JSON and is nested at most `depth` deep. */
export function measureJson(value: unknown, bytes: number, depth: number): Measure {
  // Almost every result is far below its limit even if each character took six bytes, which costs nothing to count.
  const rough = walk(value, bytes, depth, mostBytes);
  return rough === "too-large" ? walk(value, bytes, depth, exactBytes) : rough;
}

const mostBytes: BytesOf = (scalar) => (typeof scalar === "string" ? scalar.length * 6 + 2 : 25);

const exactBytes: BytesOf = (scalar) => {
  if (typeof scalar !== "string") return String(scalar).length;
  return NEEDS_ESCAPE.test(scalar)
    ? Buffer.byteLength(JSON.stringify(scalar))
    : Buffer.byteLength(scalar) + 2;
};

const NEEDS_ESCAPE = /["\\\p{Cc}\p{Cs}]/u;

function walk(root: unknown, bytes: number, depth: number, bytesOf: BytesOf): Measure {
  if (!isContainer(root)) return bytesOf(root) > bytes ? "too-large" : "fits";
  // INVARIANT: both grow together. Only containers are kept, so this takes less memory than what it measures.
  const open: Container[] = [root];
  const levels: number[] = [1];
  let left = bytes;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const level = levels.pop() ?? 0;
    if (level > depth) return "too-deep";
    const visit = (child: unknown): void => {
      left -= 1;
      if (!isContainer(child)) left -= bytesOf(child);
      else {
        open.push(child);
        levels.push(level + 1);
      }
    };
    left -= openingBytes(next, bytesOf);
    if (isArray(next)) next.forEach(visit);
    else for (const key of Object.keys(next)) visit(next[key]);
    if (left < 0) return "too-large";
  }
  return "fits";
}

/** Brackets, and an object's keys with their colons. A comma is counted at each child, so one too many here. */
function openingBytes(container: Container, bytesOf: BytesOf): number {
  if (isArray(container)) return container.length === 0 ? 2 : 1;
  const keys = Object.keys(container);
  return keys.reduce((sum, key) => sum + bytesOf(key) + 1, keys.length === 0 ? 2 : 1);
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

const isArray = (value: Container): value is readonly unknown[] => Array.isArray(value);
