/**
 * A policy document as maps, lists and scalars, each with its place in the text. Names from the file are held
 * in `Map`s, so `constructor` is a name like any other. Knows nothing of YAML's syntax or of what keys mean.
 */

/** A place in a file; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
  /** The file, as messages name it, where it is not the policy file itself. */
  readonly file?: string;
}

export interface ScalarTree {
  readonly kind: "scalar";
  readonly at: Position;
  readonly value: string | number | boolean | null;
  /** As it stands in the file, before variables were filled in: what messages may quote. */
  readonly written: string;
  /** How far behind `at` its text begins, where that stands in the file on one line as it is; else null. */
  readonly inset: number | null;
  /** True if a variable could not be filled in, which has been reported. */
  readonly unresolved: boolean;
}

interface ListTree {
  readonly kind: "list";
  readonly at: Position;
  readonly items: readonly Tree[];
}

/** One key of a map with its value. */
export interface Entry {
  readonly key: string;
  /** Where the key stands. */
  readonly at: Position;
  readonly value: Tree;
}

export interface MapTree {
  readonly kind: "map";
  readonly at: Position;
  readonly entries: ReadonlyMap<string, Entry>;
  /** True if a key was left out because it can't be used, which has been reported. */
  readonly partial: boolean;
}

export type Tree = ScalarTree | ListTree | MapTree;

/** The entries of a map, in file order; none if it is no map. */
export const entriesOf = (tree: Tree | undefined): readonly Entry[] =>
  tree?.kind === "map" ? [...tree.entries.values()] : [];

export const itemsOf = (tree: Tree | undefined): readonly Tree[] => (tree?.kind === "list" ? tree.items : []);

export const entryOf = (tree: Tree | undefined, key: string): Entry | undefined =>
  tree?.kind === "map" ? tree.entries.get(key) : undefined;

export const child = (tree: Tree | undefined, key: string): Tree | undefined => entryOf(tree, key)?.value;

/** A scalar that holds text whose variables are all filled in. */
export interface TextTree extends ScalarTree {
  readonly value: string;
}

export const isText = (tree: Tree | undefined): tree is TextTree =>
  tree?.kind === "scalar" && typeof tree.value === "string" && !tree.unresolved;

/** A place in a text: the place where it begins, where its text doesn't stand in the file as it is. */
export function placeIn({ at, inset }: TextTree, offset: number): Position {
  return inset === null ? at : { line: at.line, column: at.column + inset + offset };
}

/** A key as text, for keys that are names of the same kind as other text. */
export const toText = ({ key, at }: Entry): TextTree => ({
  kind: "scalar",
  at,
  value: key,
  written: key,
  inset: null,
  unresolved: false,
});

/** Whether it is just this boolean. */
export const isFlag = (tree: Tree | undefined, value: boolean): boolean =>
  tree?.kind === "scalar" && tree.value === value;

/** The texts of a list; what is no text is left out. */
export const textsOf = (tree: Tree | undefined): readonly TextTree[] => itemsOf(tree).filter(isText);

/** What lies at a path of keys and indices. */
export function treeAt(root: Tree, path: readonly PropertyKey[]): Tree | undefined {
  let tree: Tree | undefined = root;
  for (const step of path) {
    tree = typeof step === "number" ? itemsOf(tree)[step] : child(tree, String(step));
  }
  return tree;
}

/** The same as plain data. */
export function toPlain(tree: Tree): unknown {
  switch (tree.kind) {
    case "scalar":
      return tree.value;
    case "list":
      return tree.items.map(toPlain);
    case "map":
      return Object.fromEntries(entriesOf(tree).map(({ key, value }) => [key, toPlain(value)]));
  }
}
