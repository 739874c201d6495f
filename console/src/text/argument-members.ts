/** The parts of an argument's value, as they are laid out. */

export interface Member {
  /** A JSON Pointer (RFC 6901) from the arguments. */
  readonly pointer: string;
  readonly name: string;
  readonly value: unknown;
  /** In a list, where the name is its number from 1. */
  readonly isItem: boolean;
  /** It has members itself. */
  readonly isNested: boolean;
}

/** The members of an object or a list, in their order. */
export function toMembers(value: object, pointer: string): readonly Member[] {
  const isItem = Array.isArray(value);
  return Object.entries(value).map(([key, own]: [string, unknown]) => ({
    pointer: `${pointer}/${escapeKey(key)}`,
    name: isItem ? String(Number(key) + 1) : key,
    value: own,
    isItem,
    isNested: isContainer(own) && Object.keys(own).length > 0,
  }));
}

export const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

export const toKeys = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

export function valueAt(whole: unknown, pointer: string): unknown {
  let value = whole;
  for (const key of toKeys(pointer)) {
    if (!isContainer(value) || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

interface ShownLine {
  /** Its position in the text. */
  readonly at: number;
  readonly line: string;
  readonly isLast: boolean;
  /** A line feed ends it. */
  readonly isBroken: boolean;
}

/** A text's lines; one that stands for many empty ones has their line feeds. */
export function toLines(text: string): readonly ShownLine[] {
  const lines: ShownLine[] = [];
  // Each line with its line feed, or a run of several line feeds.
  for (const found of text.matchAll(/\n{4,}|[^\n]*\n|[^\n]+$/g)) {
    const [run] = found;
    const isHole = run.length > 3 && /^\n+$/.test(run);
    const isBroken = run.endsWith("\n");
    const line = isHole || !isBroken ? run : run.slice(0, -1);
    lines.push({ at: found.index, line, isLast: false, isBroken: isBroken && !isHole });
  }
  const last = lines.at(-1);
  if (last) lines[lines.length - 1] = { ...last, isLast: true };
  return lines;
}

/** Deeper lines of JSON aren't indented further. */
const MAX_INDENTED = 10;

/** JSON in lines, for values too large for a tree. */
export function toJsonText(value: unknown): string {
  const lines: string[] = [];
  writeJson(value, "", 0, "", lines);
  return lines.join("\n");
}

function writeJson(value: unknown, lead: string, depth: number, end: string, lines: string[]): void {
  const indent = "  ".repeat(Math.min(depth, MAX_INDENTED));
  if (!isContainer(value) || Object.keys(value).length === 0) {
    lines.push(`${indent}${lead}${JSON.stringify(value)}${end}`);
    return;
  }
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = Object.entries(value);
  lines.push(`${indent}${lead}${isList ? "[" : "{"}`);
  for (const [at, [key, own]] of entries.entries())
    writeJson(
      own,
      isList ? "" : `${JSON.stringify(key)}: `,
      depth + 1,
      at < entries.length - 1 ? "," : "",
      lines,
    );
  lines.push(`${indent}${isList ? "]" : "}"}${end}`);
}

/** How many levels of members a value has; stops counting at `enough`. */
export function depthOf(value: unknown, enough: number): number {
  if (!isContainer(value) || enough === 0) return 0;
  let deepest = 0;
  for (const own of Object.values(value)) deepest = Math.max(deepest, depthOf(own, enough - 1));
  return deepest + 1;
}
