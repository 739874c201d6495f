/** Parses a text with PostgreSQL's own grammar, and accepts one statement that only reads. */
import type { SqlRefusal } from "../../sql-engine.ts";
import { countKinds, type Fields, type TreeNode } from "./parse-tree.ts";

/** Parses; throws for a text that isn't SQL. */
export type Parse = (sql: string) => unknown;

export interface Statement {
  readonly select: Fields;
  /** The statement alone, without a semicolon. */
  readonly text: string;
}

/** Nesting of nodes; a nested query takes three. */
const MAX_DEPTH = 600;
/** Longer texts are refused: a tree is walked recursively, and others wait meanwhile. */
const MAX_CHARACTERS = 16_384;

export async function loadParser(): Promise<Parse> {
  const parser = await import("libpg-query");
  await parser.loadModule();
  return parser.parseSync;
}

/** The single SELECT, VALUES or TABLE of a text; anything else is refused. */
export function readStatement(parse: Parse, sql: string): Statement | SqlRefusal {
  if (sql.length > MAX_CHARACTERS) {
    return refused(
      "The statement is too long.",
      `It has more than ${MAX_CHARACTERS} characters.`,
      "Write a shorter one, and put values into `parameters`.",
    );
  }
  // THREAT: the parser would stop at a NUL and see only the text before it.
  if (sql.includes("\0") || !sql.isWellFormed()) {
    return refused(
      "The statement is no text.",
      "It holds a NUL, or half a character.",
      "Write it as plain text.",
    );
  }
  const parsed = parseText(parse, sql);
  if ("kind" in parsed) return parsed;
  try {
    return onlySelect(statementsOf(parsed.tree), sql);
  } catch (error) {
    // The tree of a chain may be too deep for the stack.
    if (error instanceof RangeError) return tooDeep();
    throw error;
  }
}

/** @throws any failure of the parser other than a mistake in the text */
function parseText(parse: Parse, sql: string): { readonly tree: unknown } | SqlRefusal {
  try {
    return { tree: parse(sql) };
  } catch (error) {
    if (!isSqlError(error)) throw error;
    return refused(
      "The statement is not valid SQL for PostgreSQL.",
      `Its parser says: ${error.message}${placeOf(error)}.`,
      "Correct the statement.",
    );
  }
}

/**
 * Whether the error is about a mistake in the text. After any other error, the parser's memory is in an unknown
 * state, so it must not be used again.
 */
const isSqlError = (error: unknown): error is Error => error instanceof Error && error.name === "SqlError";

/** The tree of a definition in the database; null if it isn't one SELECT. */
export function readDefinition(parse: Parse, sql: string): Fields | null {
  const parsed = parseText(parse, sql);
  if ("kind" in parsed) return null;
  try {
    const statement = onlySelect(statementsOf(parsed.tree), sql);
    return "select" in statement ? statement.select : null;
  } catch {
    return null;
  }
}

interface Raw {
  readonly node: TreeNode;
  readonly start: number;
  readonly length: number;
}

/** Positions are in bytes of UTF-8. */
function statementsOf(tree: unknown): readonly Raw[] {
  // INVARIANT: this is the shape of libpg-query's result; any other ends in an error, and is refused.
  const { stmts } = tree as { readonly stmts: readonly RawTree[] };
  return stmts.map(({ stmt, stmt_location = 0, stmt_len = 0 }) => {
    const [kind = "", ...others] = Object.keys(stmt);
    if (others.length > 0) throw new TypeError("The parser gave a statement of an unknown form.");
    return { node: { kind, fields: stmt[kind] ?? {} }, start: stmt_location, length: stmt_len };
  });
}

interface RawTree {
  readonly stmt: Readonly<Record<string, Fields>>;
  readonly stmt_location?: number;
  readonly stmt_len?: number;
}

function onlySelect(statements: readonly Raw[], sql: string): Statement | SqlRefusal {
  const [only, ...others] = statements;
  if (only === undefined) {
    return refused("There is no statement.", "The text holds nothing to run.", "Write a SELECT.");
  }
  if (others.length > 0) {
    return refused(
      `The text holds ${statements.length} statements.`,
      "One is run at a time.",
      "Send each in a call of its own.",
    );
  }
  const counts = countKinds(only.node, MAX_DEPTH);
  if (counts === null) return tooDeep();
  const offender = offenderIn(only.node, counts);
  if (offender !== null) {
    return refused(`${offender} may not run here.`, "This database is only read.", "Write one SELECT.");
  }
  if (isTooWide(counts)) {
    return refused(
      "The statement is too wide.",
      "It names so many tables and columns that following it takes too long.",
      "Ask for less at a time.",
    );
  }
  const bytes = Buffer.from(sql);
  const end = only.length === 0 ? bytes.length : only.start + only.length;
  return { select: only.node.fields, text: bytes.subarray(only.start, end).toString("utf8") };
}

/** Parts of a SELECT that do more than read. */
const OFFENDERS: readonly (readonly [kind: string, name: string])[] = [
  ["InsertStmt", "An INSERT"],
  ["UpdateStmt", "An UPDATE"],
  ["DeleteStmt", "A DELETE"],
  ["MergeStmt", "A MERGE"],
  ["IntoClause", "A SELECT INTO"],
  ["LockingClause", "A SELECT that locks rows (FOR UPDATE, FOR SHARE)"],
];

function offenderIn(node: TreeNode, counts: ReadonlyMap<string, number>): string | null {
  const found = OFFENDERS.find(([kind]) => counts.has(kind));
  if (found !== undefined) return found[1];
  return node.kind === "SelectStmt" ? null : `A ${nameOfKind(node.kind)} statement`;
}

const MAX_STARS = 100;
const MAX_LOOKUPS = 100_000;

// THREAT: each name is searched for in each item of a FROM, and others wait meanwhile.
function isTooWide(counts: ReadonlyMap<string, number>): boolean {
  const countOf = (kind: string): number => counts.get(kind) ?? 0;
  const items = countOf("RangeVar") + countOf("RangeSubselect") + countOf("RangeFunction");
  return countOf("ColumnRef") * items > MAX_LOOKUPS || countOf("A_Star") > MAX_STARS;
}

/** `VariableSetStmt` → `VARIABLE SET`. */
const nameOfKind = (kind: string): string =>
  kind
    .replace(/Stmt$/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toUpperCase();

function placeOf(error: unknown): string {
  const details =
    typeof error === "object" && error !== null && "sqlDetails" in error ? error.sqlDetails : null;
  if (typeof details !== "object" || details === null || !("cursorPosition" in details)) return "";
  return typeof details.cursorPosition === "number" ? ` (at character ${details.cursorPosition + 1})` : "";
}

const tooDeep = (): SqlRefusal =>
  refused(
    "The statement is nested too deeply.",
    `Its queries and expressions stand in each other more than ${MAX_DEPTH} levels deep.`,
    "Write a flatter one: give queries names in a WITH.",
  );

const refused = (message: string, why: string, fix: string): SqlRefusal => ({
  kind: "refused",
  catalog: false,
  message,
  why,
  fix,
});
