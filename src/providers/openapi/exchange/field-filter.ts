/**
 * The fields of an answer that an operation keeps: `id`, `items[].id`, `owner.*`. A name selects a field, `*` any
 * field, `[]` each item of a list; everything below a selected path is kept. Everything else is removed, also if the
 * answer has another shape.
 */
import { isJsonObject } from "../json-value.ts";

/** What is kept below a path. */
interface Node {
  all: boolean;
  readonly fields: Map<string, Node>;
  any: Node | null;
  items: Node | null;
}

export type FieldFilter = (value: unknown) => { readonly value: unknown } | null;

const createNode = (): Node => ({ all: false, fields: new Map(), any: null, items: null });

const PATH = /^(?:\[\]|[^.[\]]+(?:\[\])*)(?:\[\])*(?:\.[^.[\]]+(?:\[\])*)*$/;

/** Whether a text is a path of a field. */
export const isFieldPath = (path: string): boolean => path.length <= 500 && PATH.test(path);

/** A filter for these paths; it returns null if nothing is kept. An invalid path keeps nothing. */
export function createFieldFilter(paths: readonly string[]): FieldFilter {
  const root = createNode();
  for (const path of paths.filter(isFieldPath)) addPath(root, path);
  return (value) => filter(root, value);
}

function addPath(root: Node, path: string): void {
  let node = root;
  for (const step of path.match(/\[\]|[^.[\]]+/g) ?? []) node = below(node, step);
  node.all = true;
}

function below(node: Node, step: string): Node {
  if (step === "[]") {
    node.items ??= createNode();
    return node.items;
  }
  if (step === "*") {
    node.any ??= createNode();
    return node.any;
  }
  const known = node.fields.get(step);
  const next = known ?? createNode();
  if (known === undefined) node.fields.set(step, next);
  return next;
}

/** INVARIANT: recursion ends at the longest path; below that a value is kept as a whole or dropped. */
function filter(node: Node, value: unknown): { readonly value: unknown } | null {
  if (node.all) return { value };
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === null) return null;
    return { value: value.map((item) => filter(items, item)?.value ?? emptyOf(item)) };
  }
  if (!isJsonObject(value)) return null;
  if (node.any === null && node.fields.size === 0) return null;
  const kept = Object.entries(value).flatMap(([name, child]) => {
    const found = filterField(node, name, child);
    return found === null ? [] : [[name, found.value] as const];
  });
  return { value: Object.fromEntries(kept) };
}

function filterField(node: Node, name: string, child: unknown): { readonly value: unknown } | null {
  const own = node.fields.get(name);
  const named = own === undefined ? null : filter(own, child);
  const any = node.any === null ? null : filter(node.any, child);
  // If both match, what either keeps is kept.
  return named === null || any === null ? (named ?? any) : { value: merge(named.value, any.value) };
}

/** Two parts of one value. */
function merge(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right))
    return left.map((item, index) => merge(item, right[index]));
  if (!isJsonObject(left) || !isJsonObject(right)) return left;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      Object.hasOwn(left, name) && Object.hasOwn(right, name)
        ? merge(left[name], right[name])
        : Object.hasOwn(left, name)
          ? left[name]
          : right[name],
    ]),
  );
}

/** An item without kept parts keeps its position. */
const emptyOf = (item: unknown): unknown => (isJsonObject(item) ? {} : null);
