/**
 * Whether a result depends on the order of rows. Without ORDER BY, that is the stored order of a table, or the order
 * of an index, which reveals columns that the query doesn't name.
 */
import type { FunctionFact } from "../facts.ts";
import { type Fields, namesIn, nodeIn, nodesIn, type TreeNode, textIn } from "../parsing/parse-tree.ts";
import { nameOfOutput } from "./output-name.ts";

/** Aggregates and window functions whose result doesn't depend on the order of rows. */
const ORDER_FREE: ReadonlySet<string> = new Set(
  `avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist dense_rank every grouping max
  min mode percent_rank percentile_cont percentile_disc range_agg range_intersect_agg rank regr_avgx regr_avgy regr_count
  regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp sum var_pop var_samp
  variance`.split(/\s+/),
);

/** @param candidates every function that the name may mean */
export const isOrderFree = (name: string, candidates: readonly FunctionFact[]): boolean =>
  ORDER_FREE.has(name) || candidates.every(({ kind }) => kind !== "a" && kind !== "w");

/**
 * Whether the call sorts its own rows by all of its arguments, as in `string_agg(name, ',' ORDER BY name)`. Over a
 * window, each row has a result that depends on its position: `row_number() OVER ()`.
 */
export const sortsItsRows = (call: Fields, isTrusted: (value: TreeNode) => boolean): boolean => {
  const keys = sortKeysOf(call, "agg_order");
  const isSorted = (arg: TreeNode): boolean =>
    arg.kind === "A_Const" || (keys.length > 0 && isTrusted(arg) && keys.includes(textOf(arg)));
  return nodeIn(call, "over") === null && nodesIn(call, "args").every(isSorted);
};

/** Aggregates that return one of several equal values: the first or the last. */
const PICKING: ReadonlySet<string> = new Set(
  "max min mode percentile_cont percentile_disc range_agg range_intersect_agg".split(" "),
);

/** Whether the call returns one of several values that may be equal and not identical. */
export const picksByOrder = (
  name: string,
  call: Fields,
  isTrusted: (value: TreeNode) => boolean,
): boolean => {
  const sorted = nodesIn(call, "agg_order").flatMap((sort) => nodeIn(sort.fields, "node") ?? []);
  return PICKING.has(name) && ![...nodesIn(call, "args"), ...sorted].every(isTrusted);
};

/** Whether a frame counts rows, so that the order of equal rows matters. */
export const countsRows = (window: Fields): boolean =>
  typeof window.frameOptions === "number" && (window.frameOptions & NONDEFAULT_FRAME) !== 0;

const NONDEFAULT_FRAME = 0x00001;

/** Whether rows are dropped by their position. */
export const cutsByPlace = (select: Fields): boolean =>
  CUTTING.some((name) => nodeIn(select, name) !== null || nodesIn(select, name).length > 0);

/** The list of a DISTINCT without ON is empty. */
const CUTTING = ["limitCount", "limitOffset", "distinctClause"];

/**
 * Whether ORDER BY determines the order of rows that differ in any output.
 * @param isTrusted whether equal values of an output, by its position, are identical
 */
export function sortsTotally(
  select: Fields,
  isTrusted: (value: TreeNode, place: number) => boolean,
): boolean {
  const keys = sortKeysOf(select, "sortClause");
  const outputs = nodesIn(firstOf(select), "targetList").map((target) => {
    const value = nodeIn(target.fields, "val");
    return value === null || isStar(value) ? null : { value, name: nameOfOutput(target, value) };
  });
  // In ORDER BY, the name of an output takes precedence over that of a column.
  const names = outputs.map((output) => output?.name ?? null);
  const isOutput = (text: string): boolean =>
    names.includes(null) || names.some((name) => name !== null && text === textOf(toColumn(name)));
  return (
    keys.length > 0 &&
    outputs.length > 0 &&
    outputs.every((output, index) => {
      if (output === null || !isTrusted(output.value, index)) return false;
      const text = textOf(output.value);
      const byText = keys.includes(text) && !(isBareName(output.value) && isOutput(text));
      return byText || keys.includes(`place ${index + 1}`) || keys.includes(`name ${output.name}`);
    })
  );
}

const isBareName = ({ kind, fields }: TreeNode): boolean =>
  kind === "ColumnRef" && nodesIn(fields, "fields").length === 1;

const toColumn = (name: string): TreeNode => ({
  kind: "ColumnRef",
  fields: { fields: [{ String: { sval: name } }] },
});

/** In a set operation, the SELECT that names its outputs. */
function firstOf(select: Fields): Fields {
  const left = nodeIn(select, "larg");
  return left === null ? select : firstOf(left.fields);
}

/** The sort keys: an output's position or name, or an expression as a text. */
function sortKeysOf(fields: Fields, list: string): readonly string[] {
  return nodesIn(fields, list).flatMap((sort) => {
    const node = nodeIn(sort.fields, "node");
    if (node === null) return [];
    const { ival } = node.fields;
    if (node.kind === "A_Const" && typeof ival === "object" && ival !== null && "ival" in ival)
      return [`place ${ival.ival}`];
    const names = node.kind === "ColumnRef" ? namesIn(node.fields, "fields") : [];
    return names.length === 1 ? [textOf(node), `name ${names[0]}`] : [textOf(node)];
  });
}

const isStar = ({ kind, fields }: TreeNode): boolean => {
  const list = kind === "ColumnRef" ? "fields" : kind === "A_Indirection" ? "indirection" : null;
  return list !== null && nodesIn(fields, list).at(-1)?.kind === "A_Star";
};

/** Equal for equal expressions, wherever they are. */
const textOf = ({ kind, fields }: TreeNode): string =>
  JSON.stringify([kind, fields], (key, value) => (key === "location" ? undefined : value));

/** Whether a subquery returns its rows as a list, in which their order is visible. */
export const isList = (sublink: Fields): boolean => textIn(sublink, "subLinkType") === "ARRAY_SUBLINK";
