/** The name of an output without an alias, as PostgreSQL's `FigureColname` determines it. */
import { type Fields, namesIn, nodeIn, nodesIn, type TreeNode, textIn } from "../parsing/parse-tree.ts";

/** Null for an output whose name is uncertain, and for `*`. */
export function nameOfOutput(target: TreeNode, value: TreeNode): string | null {
  return textIn(target.fields, "name") ?? figureName(value).name;
}

interface Figured {
  readonly name: string | null;
  /** `weak`: a cast or a CASE around it determines the name. */
  readonly strength: "strong" | "weak" | "unknown";
}

const UNKNOWN: Figured = { name: null, strength: "unknown" };
const NAMELESS: Figured = { name: null, strength: "weak" };
const strong = (name: string | undefined): Figured =>
  name === undefined ? UNKNOWN : { name, strength: "strong" };

function figureName({ kind, fields }: TreeNode): Figured {
  if (kind === "ColumnRef") return endsInStar(fields, "fields") ? UNKNOWN : lastOf(fields, "fields");
  if (kind === "FuncCall") return lastOf(fields, "funcname");
  if (kind === "CoalesceExpr") return strong("coalesce");
  if (kind === "CollateClause") return figureBelow(fields, "arg");
  if (kind === "A_Indirection") return figureField(fields);
  if (kind === "TypeCast") return figureCast(fields);
  if (kind === "CaseExpr") {
    const below = figureBelow(fields, "defresult");
    return below.strength === "weak" ? { name: "case", strength: "weak" } : below;
  }
  return kind === "A_Const" || kind === "ParamRef" ? NAMELESS : UNKNOWN;
}

/** THREAT: `(s).*` stands for several outputs with unknown names. */
function figureField(fields: Fields): Figured {
  if (endsInStar(fields, "indirection")) return UNKNOWN;
  const field = namesIn(fields, "indirection").at(-1);
  return field === undefined ? figureBelow(fields, "arg") : strong(field);
}

function figureCast(fields: Fields): Figured {
  const below = figureBelow(fields, "arg");
  const type = namesIn(nodeIn(fields, "typeName")?.fields ?? {}, "names").at(-1);
  return below.strength === "weak" && type !== undefined ? { name: type, strength: "weak" } : below;
}

function figureBelow(fields: Fields, name: string): Figured {
  const node = nodeIn(fields, name);
  return node === null ? NAMELESS : figureName(node);
}

const lastOf = (fields: Fields, list: string): Figured => strong(namesIn(fields, list).at(-1));

const endsInStar = (fields: Fields, list: string): boolean => nodesIn(fields, list).at(-1)?.kind === "A_Star";
