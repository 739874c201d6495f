/** What every part of a reading is given: where it stands in the query, and where to note what is read. */
import type { Facts, FunctionFact } from "../facts.ts";
import type { ValueKind } from "../value-identity.ts";
import type { Dependencies } from "./dependencies.ts";
import { judgeFunction } from "./function-rules.ts";
import type { Fields } from "./parse-tree.ts";
import { isOrderFree } from "./row-order.ts";
import type { Entry, Level } from "./scope.ts";

/** What a SELECT gives to the query around it. */
export interface Derived {
  /** Names that it has for certain. */
  readonly columns: ReadonlySet<string>;
  /** Whether it may have others. */
  readonly open: boolean;
  /** What is read only if that output is; the rest is noted already. */
  readonly outputs: ReadonlyMap<string, Dependencies>;
  /** The same by place, where the places are known. */
  readonly places: readonly Dependencies[] | null;
  /** Whether equal values of an output are the same, by name. */
  readonly kinds?: ReadonlyMap<string, ValueKind>;
  /** The same by place, where the places are known. */
  readonly kindsByPlace?: readonly ValueKind[] | null;
}

/** Which outputs of a SELECT are only noted when somebody reads them: none, plain columns, or whatever they are. */
export type Lazy = "none" | "columns" | "all";

export interface ViewReading {
  readonly rows: Dependencies;
  /** By column; null where every column may depend on everything. */
  readonly outputs: ReadonlyMap<string, Dependencies> | null;
}

export interface ReadingContext {
  readonly facts: Facts;
  readonly reads: Dependencies;
  readonly level: Level | null;
  readonly ctes: ReadonlyMap<string, Derived>;
  /** Whether this stands in a definition that the database keeps, not in the statement. */
  readonly stored: boolean;
  /** Whether this is the outermost select list, whose aggregates are noted apart. */
  readonly outermost: boolean;
  /** Whether this SELECT gives its rows as a list: `ARRAY(SELECT …)`. */
  readonly isList?: boolean;
  /**
   * Whether this stands in a WITH. The server works out all outputs of such a query, read or not, and an expression
   * that fails on some value tells of it; elsewhere it leaves those out that nobody reads.
   */
  readonly inWith: boolean;
  readonly views: Map<string, ViewReading | "busy">;
  /** Tables whose policies are being read, since a policy may read other tables. */
  readonly policed: Set<number>;
  /** Makes a tree of a definition; null where it isn't one SELECT. */
  parse(sql: string): Fields | null;
  readSelect(select: Fields, context: ReadingContext, lazy: Lazy): Derived;
}

export const derivedEntry = (name: string, derived: Derived): Entry => ({
  name,
  columns: derived.columns,
  open: derived.open,
  kindOf: (column) => derived.kinds?.get(column) ?? "loose",
  touch: (column, reads) => {
    const output = derived.outputs.get(column);
    if (output !== undefined) reads.merge(output);
  },
  touchAll: (reads) => force(derived, reads),
  // Outputs without a certain name have been noted.
  touchOther: () => {},
});

/** Notes everything that was left to be noted later. */
export function force(derived: Derived, reads: Dependencies): void {
  for (const output of derived.outputs.values()) reads.merge(output);
}

/** Judges a function by every meaning that its name may have, and notes the result. */
export function noteFunction(context: ReadingContext, schema: string | null, name: string): void {
  const candidates = context.facts.functions(schema, name);
  if (candidates.length === 0) noteTypeByName(context, schema, name);
  noteVerdict(context, name, candidates);
}

/** `badge('x')` makes a value of a type, where there is no function of that name. */
function noteTypeByName(context: ReadingContext, schema: string | null, name: string): void {
  const type = context.facts.type(schema, name);
  if (type === null || type.builtin) return;
  context.reads.addOwnCode(`What a value does when it becomes a \`${name}\` isn't known.`);
}

/** `a.b` may call a function `b` or make a value of a type `b`, where `a` has no column of that name. */
export function noteFunctionNotation(context: ReadingContext, name: string): void {
  const candidates = context.facts.functions(null, name);
  if (!isOrderFree(name, candidates)) context.reads.dependOnOrder();
  if (candidates.length > 0) noteVerdict(context, name, candidates);
  else noteTypeByName(context, null, name);
}

function noteVerdict(context: ReadingContext, name: string, candidates: readonly FunctionFact[]): void {
  const verdict = judgeFunction(name, candidates);
  if (verdict === "names") context.reads.addCatalog();
  if (verdict === "unresolved" || (verdict === "forbidden" && context.stored)) {
    const reason = `What the function \`${name}\` reads isn't known.`;
    if (!context.stored && candidates.some(({ builtin }) => !builtin)) context.reads.addOwnCode(reason);
    else context.reads.leaveUnresolved(reason);
  } else if (verdict === "forbidden") {
    context.reads.forbid({
      message: `The function \`${name}\` may not be called here.`,
      why: "It runs other statements, reads files, settings or other sessions, waits, or has an effect.",
      fix: "Leave it out, and read the tables by their names.",
    });
  }
}
