/**
 * The syntax tree of a statement by PostgreSQL's own grammar, as JSON. A field for any kind of node wraps it as `{
 * "Kind": { … } }`; a field for one kind doesn't, and is known here by its name.
 */
import { isJsonObject } from "../../../../json/json-object.ts";
export type Fields = Readonly<Record<string, unknown>>;

export interface TreeNode {
  readonly kind: string;
  readonly fields: Fields;
}

const KIND_OF_FIELD: ReadonlyMap<string, string> = new Map([
  ["typeName", "TypeName"],
  ["over", "WindowDef"],
  ["larg", "SelectStmt"],
  ["rarg", "SelectStmt"],
  ["withClause", "WithClause"],
  ["intoClause", "IntoClause"],
  ["collClause", "CollateClause"],
  ["alias", "Alias"],
  ["search_clause", "CTESearchClause"],
  ["cycle_clause", "CTECycleClause"],
  ["relation", "RangeVar"],
  ["output", "JsonOutput"],
  ["returning", "JsonReturning"],
  ["format", "JsonFormat"],
  ["constructor", "JsonAggConstructor"],
  ["context_item", "JsonValueExpr"],
  ["value", "JsonValueExpr"],
  ["val", "JsonValueExpr"],
  ["on_empty", "JsonBehavior"],
  ["on_error", "JsonBehavior"],
  ["pathspec", "JsonTablePathSpec"],
]);

export function nodeIn(fields: Fields, name: string): TreeNode | null {
  return Object.hasOwn(fields, name) ? toNode(fields[name], name) : null;
}

/** The nodes of a list; other entries are dropped. */
export function nodesIn(fields: Fields, name: string): readonly TreeNode[] {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return Array.isArray(value) ? value.flatMap((item) => toNode(item, name) ?? []) : [];
}

/** Every child node, in any field. */
export function childrenOf(node: TreeNode, except: readonly string[] = []): readonly TreeNode[] {
  const names = Object.keys(node.fields).filter((name) => !except.includes(name));
  return names.flatMap((name) => {
    const single = nodeIn(node.fields, name);
    return single === null ? nodesIn(node.fields, name) : [single];
  });
}

export function textIn(fields: Fields, name: string): string | null {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === "string" ? value : null;
}

export const flagIn = (fields: Fields, name: string): boolean =>
  Object.hasOwn(fields, name) && fields[name] === true;

/** The texts of a list of names: `[{ "String": { "sval": "a" } }]`. */
export const namesIn = (fields: Fields, name: string): readonly string[] =>
  nodesIn(fields, name).flatMap((node) =>
    node.kind === "String" ? [textIn(node.fields, "sval") ?? ""] : [],
  );

/** The left sides of chains, which the parser nests: `a || b || c`, UNION, JOIN. */
const CHAINED: ReadonlySet<string> = new Set(["larg", "lexpr"]);

/**
 * The number of nodes of each kind, in one walk; null if they are nested deeper than `maxDepth`, counting a chain
 * once.
 */
export function countKinds(node: TreeNode, maxDepth: number): ReadonlyMap<string, number> | null {
  const counts = new Map<string, number>();
  let isTooDeep = false;
  const visit = ({ kind, fields }: TreeNode, depth: number): void => {
    isTooDeep ||= depth > maxDepth;
    if (isTooDeep) return;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const name of Object.keys(fields)) visitField(fields[name], name, depth);
  };
  const visitField = (value: unknown, name: string, depth: number): void => {
    for (const one of Array.isArray(value) ? value : [value]) {
      const below = toNode(one, name);
      if (below !== null) visit(below, CHAINED.has(name) ? depth : depth + 1);
    }
  };
  visit(node, 0);
  return isTooDeep ? null : counts;
}

/** A node and those below it of this kind. */
export function nodesOfKind(node: TreeNode, kind: string): readonly TreeNode[] {
  const found: TreeNode[] = [];
  collect(node, kind, found);
  return found;
}

function collect(node: TreeNode, kind: string, found: TreeNode[]): void {
  if (node.kind === kind) found.push(node);
  for (const child of childrenOf(node)) collect(child, kind, found);
}

export const holdsKind = (node: TreeNode, kind: string): boolean => nodesOfKind(node, kind).length > 0;

function toNode(value: unknown, field: string): TreeNode | null {
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value);
  const [kind] = keys;
  if (kind !== undefined && keys.length === 1 && /^[A-Z]/.test(kind)) {
    const fields = value[kind];
    return { kind, fields: isJsonObject(fields) ? fields : {} };
  }
  // An empty place in a list: `DISTINCT` without ON.
  return keys.length === 0 ? null : { kind: kindOfBare(field, value), fields: value };
}

/**
 * `arg` of `json_objectagg` is a pair, of `json_arrayagg` a value. An unknown field gets a kind that is never
 * allowed.
 */
function kindOfBare(field: string, value: Fields): string {
  if (field !== "arg" && field !== "expr") return KIND_OF_FIELD.get(field) ?? `.${field}`;
  return Object.hasOwn(value, "key") ? "JsonKeyValue" : "JsonValueExpr";
}
