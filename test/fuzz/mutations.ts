/** Changes to valid documents: of the tree that a document stands for, and of its text. Small enough to shrink well. */
import fc from "fast-check";

export type Tree = null | boolean | number | string | readonly Tree[] | { readonly [key: string]: Tree };

const HOSTILE: readonly Tree[] = [
  ...[
    "",
    "*",
    "**",
    "mcp__*__*",
    "mcp__",
    "__proto__",
    "constructor",
    "toString",
    ".",
    "..",
    "/",
    "\n",
    "a\0b",
  ],
  ...["\ud800", "\u202e", "\ufeff", "x".repeat(10_000), "null", "true", "1e400", "0x10", "never", "always"],
  ...[0, -0, -1, 1.5, 1e308, 5e-324, 2 ** 53, Number.MAX_SAFE_INTEGER, true, false, null, [], {}],
  ...[[[]], [null], { "": {} }, nested(40), nested(400)],
];

/** Lists in lists, so many deep. */
function nested(depth: number): Tree {
  let tree: Tree = 0;
  for (let level = 0; level < depth; level += 1) tree = [tree];
  return tree;
}

const KINDS = ["remove", "replace", "rename", "copy", "nest", "double"] as const;

interface TreeChange {
  /** Which of the tree's places is changed, and which other one or which word it is changed with. */
  readonly at: number;
  readonly other: number;
  readonly kind: (typeof KINDS)[number];
}

interface TextChange {
  readonly at: number;
  readonly length: number;
  readonly kind: "insert" | "cut" | "repeat" | "end";
  readonly bit: string;
}

/** Up to so many changes, few more often than many. */
const few = <T>(change: fc.Arbitrary<T>, most: number): fc.Arbitrary<T[]> =>
  fc.array(change, { maxLength: most, size: "max" });

const place = fc.nat({ max: 100_000 });

export const anyTreeChanges: fc.Arbitrary<readonly TreeChange[]> = few(
  fc.record({ at: place, other: place, kind: fc.constantFrom(...KINDS) }),
  4,
);

/** @param bits what is inserted, beside any characters */
export const anyTextChanges = (bits: readonly string[]): fc.Arbitrary<readonly TextChange[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: few(
        fc.record({
          at: place,
          length: fc.nat({ max: 30 }),
          kind: fc.constantFrom("insert", "insert", "cut", "repeat", "end"),
          bit: fc.oneof(
            { weight: 4, arbitrary: fc.constantFrom(...bits) },
            { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 3 }) },
          ),
        }),
        3,
      ),
    },
  );

export function changeText(text: string, changes: readonly TextChange[]): string {
  return changes.reduce((before, { at, length, kind, bit }) => {
    const start = at % (before.length + 1);
    const end = start + length;
    if (kind === "insert") return before.slice(0, start) + bit + before.slice(start);
    if (kind === "cut") return before.slice(0, start) + before.slice(end);
    if (kind === "end") return before.slice(0, start);
    return before.slice(0, start) + before.slice(start, end).repeat(1 + (length % 50)) + before.slice(end);
  }, text);
}

/** Every value and key that stands somewhere in these trees: what a document of their kind may be made of. */
export function vocabularyOf(trees: readonly Tree[]): Vocabulary {
  const [keys, values] = [new Set<string>(["__proto__", "constructor", ""]), new Set<Tree>(HOSTILE)];
  for (const tree of trees)
    for (const path of pathsOf(tree)) {
      const last = path.at(-1);
      if (typeof last === "string") keys.add(last);
      values.add(at(tree, path));
    }
  return { keys: [...keys], values: [...values] };
}

export interface Vocabulary {
  readonly keys: readonly string[];
  readonly values: readonly Tree[];
}

export function changeTree(tree: Tree, changes: readonly TreeChange[], vocabulary: Vocabulary): Tree {
  return changes.reduce((before, change) => {
    const paths = pathsOf(before);
    const path = paths[change.at % paths.length] ?? [];
    return changeAt(before, path, { ...change, root: before, paths, vocabulary });
  }, tree);
}

type Path = readonly (string | number)[];

interface Change extends TreeChange {
  readonly root: Tree;
  readonly paths: readonly Path[];
  readonly vocabulary: Vocabulary;
}

const isList = (tree: Tree): tree is readonly Tree[] => Array.isArray(tree);

/** The way to each place in a tree, its root first. */
function pathsOf(tree: Tree, before: Path = []): Path[] {
  const own: Path[] = [before];
  // What is deeper is changed as a whole.
  if (tree === null || typeof tree !== "object" || before.length > 12) return own;
  const children: readonly (readonly [string | number, Tree])[] = isList(tree)
    ? tree.map((child, index) => [index, child] as const)
    : Object.entries(tree);
  return own.concat(...children.map(([key, child]) => pathsOf(child, [...before, key])));
}

function at(tree: Tree, path: Path): Tree {
  let found = tree;
  for (const key of path) {
    if (found === null || typeof found !== "object") return null;
    found = (isList(found) ? found[Number(key)] : found[String(key)]) ?? null;
  }
  return found;
}

/** The tree with the place at the end of the path changed. Objects are made of entries, so that `__proto__` is a key. */
function changeAt(tree: Tree, [key, ...rest]: Path, change: Change): Tree {
  if (key === undefined) return changeHere(tree, change);
  if (isList(tree)) {
    return tree.flatMap((child, index) => {
      if (index !== key) return [child];
      if (rest.length === 0 && change.kind === "remove") return [];
      const changed = changeAt(child, rest, change);
      return rest.length === 0 && change.kind === "double" ? [child, child] : [changed];
    });
  }
  if (tree === null || typeof tree !== "object") return tree;
  return Object.fromEntries(
    Object.entries(tree).flatMap(([name, child]): [string, Tree][] => {
      if (name !== key) return [[name, child]];
      if (rest.length > 0) return [[name, changeAt(child, rest, change)]];
      if (change.kind === "remove") return [];
      const word = change.vocabulary.keys[change.other % change.vocabulary.keys.length] ?? name;
      if (change.kind === "rename") return [[word, child]];
      if (change.kind === "double")
        return [
          [name, child],
          [word, child],
        ];
      return [[name, changeHere(child, change)]];
    }),
  );
}

function changeHere(tree: Tree, { kind, other, root, paths, vocabulary }: Change): Tree {
  if (kind === "replace") return vocabulary.values[other % vocabulary.values.length] ?? null;
  if (kind === "copy") return at(root, paths[other % paths.length] ?? []);
  return kind === "nest" ? [tree] : tree;
}
