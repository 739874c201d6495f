/**
 * The fields of an answer that an operation lets through: `id`, `items[].id`, `owner.*`. A name stands for a field,
 * `*` for any one, `[]` for each item of a list; what a path leads to is let through with all that is below it.
 * What no path names is taken out, also where the answer isn't shaped as the paths say.
 */
import { isJsonObject } from "../json-value.ts";

/** What is let through below a place. */
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

/** A filter of these paths; gives null if nothing is let through. A path that isn't one lets nothing through. */
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

/** INVARIANT: goes no deeper than the longest path; below that a value is let through as it is, or not at all. */
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
  // Where both lead on, what each lets through is shown by the one that lets everything through, or by both.
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

/** An item of which nothing is let through keeps its place. */
const emptyOf = (item: unknown): unknown => (isJsonObject(item) ? {} : null);
