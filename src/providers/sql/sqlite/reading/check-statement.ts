/** What a statement's text alone shows: whether it is one query of an allowed length. */
import type { SqlRefusal } from "../../sql-engine.ts";
import { type Token, toTokens } from "./tokens.ts";

/** The longest statement, in characters. */
const MAX_STATEMENT_LENGTH = 65_536;
/** The deepest that its parentheses may be nested. */
const MAX_NESTING = 64;
const MAX_TOKENS = 16_384;

/** A statement that may be a query, with its tokens except the final semicolon. */
export interface Statement {
  readonly sql: string;
  readonly tokens: readonly Token[];
}

export const refusal = (message: string, why: string, fix: string, catalog = false): SqlRefusal => ({
  kind: "refused",
  catalog,
  message,
  why,
  fix,
});

/** Splits a statement into tokens, or says why it isn't one query. */
export function checkStatement(sql: string): Statement | SqlRefusal {
  const [what, fix] = ["The statement can't be run.", "Send one SELECT statement."];
  if (sql.length > MAX_STATEMENT_LENGTH)
    return refusal(what, `It is longer than ${MAX_STATEMENT_LENGTH} characters.`, "Shorten it.");
  if (sql.includes("\0")) return refusal(what, "It holds a NUL character.", "Leave that character out.");
  // SQLite would read another character there.
  if (!sql.isWellFormed()) return refusal(what, "It holds half of a character.", "Leave that character out.");
  const tokens = toTokens(sql);
  if (tokens === null)
    return refusal(what, "It holds something that is no SQL, such as a quote that is not closed.", fix);
  const end = tokens.findIndex((token) => token.text === ";" && token.kind === "symbol");
  const own = end < 0 ? tokens : tokens.slice(0, end);
  if (own.length === 0) return refusal(what, "It is empty.", fix);
  if (end >= 0 && tokens.slice(end).some((token) => token.text !== ";" || token.kind !== "symbol"))
    return refusal(what, "It is more than one statement.", "Send each statement in a call of its own.");
  if (own.length > MAX_TOKENS) return refusal(what, "It has too many parts.", "Shorten it.");
  if (own.some(({ depth }) => depth > MAX_NESTING))
    return refusal(what, `It is nested deeper than ${MAX_NESTING} levels.`, "Nest it less.");
  return checkKind({ sql, tokens: own });
}

function checkKind(statement: Statement): Statement | SqlRefusal {
  const keyword = statement.tokens[0]?.keyword ?? "";
  if (keyword === "SELECT" || keyword === "WITH" || keyword === "VALUES") return statement;
  return keyword === "EXPLAIN"
    ? refusal("The statement can't be run.", "EXPLAIN is not allowed here.", "Send the query itself.")
    : forbidden();
}

/** The refusal for anything but a query. */
export const forbidden = (): SqlRefusal =>
  refusal(
    "The statement was refused, and nothing was run.",
    "This database can only be read, with one SELECT statement at a time.",
    "Use SELECT, which may begin with WITH; nothing can be changed, attached or set.",
  );
