/**
 * The parser's nodes to a tree: repeated keys, aliases and their growth, depth.
 * THREAT: the file may be anything; no name in it ever becomes a property of an object with a prototype, and
 * what aliases stand for is counted before anything walks it.
 */
import { isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { quote } from "./quote.ts";
import type { Report } from "./report.ts";
import type { Entry, Position, ScalarTree, Tree } from "./tree.ts";
import { NESTED_TOO_DEEPLY } from "./yaml-problems.ts";

/** What a tree is made with. */
interface TreeOptions {
  readonly positionOf: (offset: number) => Position;
  readonly report: Report;
  /** How many values all aliases may stand for together. */
  readonly mostAliased: number;
  readonly deepest: number;
}

interface Reading extends TreeOptions {
  /** What each anchor stands for so far; null while that is being read. */
  readonly anchors: Map<string, Tree | null>;
  /** How many values each tree holds, those behind aliases included. */
  readonly sizes: Map<Tree, number>;
  aliased: number;
}

/** A parsed document as a tree; what can't be kept is reported and left out. */
export function toTree(contents: unknown, options: TreeOptions): Tree {
  const reading: Reading = { ...options, anchors: new Map(), sizes: new Map(), aliased: 0 };
  return readNode(contents, options.positionOf(0), 0, reading);
}

/** `owner` is where the key stands, for a value that is left out. */
function readNode(node: unknown, owner: Position, depth: number, reading: Reading): Tree {
  if (isAlias(node)) return readAlias(node.source, placeOf(node, owner, reading), reading);
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return toScalar(null, "", owner);
  if (isScalar(node) && node.type === "PLAIN" && node.source === "") return toScalar(null, "", owner);
  const at = placeOf(node, owner, reading);
  if (depth > reading.deepest) {
    reading.report.add(at, ...NESTED_TOO_DEEPLY);
    return unreadable(at);
  }
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, null);
  const tree = readContent(node, at, depth, reading);
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, tree);
  return tree;
}

function placeOf(node: { range?: readonly number[] | null }, owner: Position, reading: Reading): Position {
  const offset = node.range?.[0];
  return offset === undefined ? owner : reading.positionOf(offset);
}

function readContent(node: Scalar | YAMLMap | YAMLSeq, at: Position, depth: number, reading: Reading): Tree {
  if (isScalar(node)) return readScalar(node, at, reading);
  if (isMap(node)) return readMap(node, at, depth, reading);
  const items = node.items.map((item) =>
    readNode(item, isScalar(item) ? placeOf(item, at, reading) : at, depth + 1, reading),
  );
  return sized({ kind: "list", at, items }, items, reading);
}

function sized(tree: Tree, parts: readonly Tree[], reading: Reading): Tree {
  let size = 1;
  for (const part of parts) size += reading.sizes.get(part) ?? 1;
  reading.sizes.set(tree, size);
  return tree;
}

const toScalar = (
  value: ScalarTree["value"],
  written: string,
  at: Position,
  inset: number | null = null,
): ScalarTree => ({ kind: "scalar", at, value, written, inset, unresolved: false });

/** Stands for what could not be read, which has been reported. */
const unreadable = (at: Position): ScalarTree => ({ ...toScalar(null, "", at), unresolved: true });

function readScalar(scalar: Scalar, at: Position, reading: Reading): ScalarTree {
  const { value, source } = scalar;
  if (typeof value === "string") {
    if (!value.includes("\0")) return toScalar(value, value, at, insetOf(scalar, value));
    reading.report.add(at, "A value holds a NUL character.", "Remove it.");
    return unreadable(at);
  }
  const known = typeof value === "number" || typeof value === "boolean" ? value : null;
  return toScalar(known, source ?? String(value), at);
}

/** What a quote or an escape adds is seen by the length. */
function insetOf({ range, type }: Scalar, value: string): number | null {
  const length = range ? range[1] - range[0] : -1;
  if (type === "PLAIN" && length === value.length) return 0;
  return (type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") && length === value.length + 2 ? 1 : null;
}

function readAlias(name: string, at: Position, reading: Reading): Tree {
  const target = reading.anchors.get(name);
  const alias = quote(`*${name}`);
  if (target === undefined) {
    reading.report.add(at, `The alias ${alias} has no anchor ${quote(`&${name}`)} above it.`);
    return unreadable(at);
  }
  if (target === null) {
    reading.report.add(at, `The alias ${alias} stands inside what it refers to.`, "Write the value out.");
    return unreadable(at);
  }
  const before = reading.aliased;
  reading.aliased += reading.sizes.get(target) ?? 1;
  if (reading.aliased <= reading.mostAliased) return target;
  // Told once, where the limit is passed.
  if (before <= reading.mostAliased) {
    reading.report.add(at, "The aliases of this file stand for too many values.", "Write the values out.");
  }
  return unreadable(at);
}

function readMap(map: YAMLMap, at: Position, depth: number, reading: Reading): Tree {
  const entries = new Map<string, Entry>();
  let partial = false;
  for (const pair of map.items) {
    const entry = readEntry(pair, at, depth, reading);
    const before = entries.get(entry.key);
    if (before !== undefined) {
      const first = `the first is on line ${before.at.line}`;
      reading.report.add(
        entry.at,
        `The key ${quote(entry.key)} is given twice; ${first}.`,
        "Keep one of the two.",
      );
    } else if (isUsable(entry, reading.report)) {
      entries.set(entry.key, entry);
    } else {
      partial = true;
    }
  }
  const values = [...entries.values()].map(({ value }) => value);
  return sized({ kind: "map", at, entries, partial }, values, reading);
}

function readEntry(pair: Pair, at: Position, depth: number, reading: Reading): Entry {
  // INVARIANT: with `stringKeys` any other key is an error of the parser.
  const key = isScalar(pair.key) ? pair.key : null;
  const keyAt = key === null ? at : placeOf(key, at, reading);
  const value = readNode(pair.value, keyAt, depth + 1, reading);
  return { key: key === null ? "" : String(key.value), at: keyAt, value };
}

function isUsable({ key, at }: Entry, report: Report): boolean {
  if (key === "<<") report.add(at, "Merge keys (`<<`) can't be used.", "Write the keys out.");
  else if (key === "__proto__") report.add(at, "Nothing can be called `__proto__`.", "Choose another name.");
  else if (key.trim() === "" || /\p{Cc}/u.test(key)) {
    report.add(at, "A key is empty or holds a control character.", "Give it a name.");
  } else return true;
  return false;
}
