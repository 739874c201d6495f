/** Two tools of an SQL database: run statements, and look up what tables and columns there are. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { toErrorResult, toMessage } from "./tool-error.ts";

const MAX_ROWS = 1000;
/** Blanks, semicolons and comments. */
const BETWEEN_STATEMENTS = /^(?:[\s;]|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$))+/;

const sqlInput = z.object({
  sql: z.string().min(1).describe("SQL to execute (multiple statements separated by ;)"),
});

const searchInput = z.object({
  object_type: z.enum(["table", "view", "column", "index"]).describe("Object type to search"),
  pattern: z.string().default("%").describe("LIKE pattern (% = any chars, _ = one char)"),
  limit: z.number().int().min(1).max(MAX_ROWS).default(100).describe("Max results"),
});

type Row = Record<string, SQLOutputValue>;

export function createCrmServer(database: DatabaseSync): McpServer {
  const server = new McpServer({ name: "crm", version: "1.0.0" });
  server.registerTool(
    "execute_sql",
    {
      title: "Execute SQL",
      description: `Executes SQL statements on the customer database (SQLite), each in turn, and returns the rows of the last one, at most ${MAX_ROWS}.`,
      inputSchema: sqlInput,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    },
    ({ sql }) => answer(() => toRowsAnswer(executeAll(database, sql))),
  );
  server.registerTool(
    "search_objects",
    {
      title: "Search database objects",
      description:
        "Lists tables, views, columns or indexes of the customer database whose name matches a pattern.",
      inputSchema: searchInput,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (input) => answer(() => ({ results: searchObjects(database, input) })),
  );
  return server;
}

function executeAll(database: DatabaseSync, sql: string): Row[] {
  let rows: Row[] = [];
  let rest = sql.replace(BETWEEN_STATEMENTS, "");
  if (rest === "") throw new Error("There is no SQL in it");
  while (rest !== "") {
    const statement = database.prepare(rest);
    rows = [];
    for (const row of statement.iterate()) if (rows.push(row) > MAX_ROWS) break;
    rest = rest.slice(statement.sourceSQL.length).replace(BETWEEN_STATEMENTS, "");
  }
  return rows;
}

function toRowsAnswer(rows: readonly Row[]): object {
  const shown = rows.slice(0, MAX_ROWS);
  return { rows: shown, count: shown.length, ...(rows.length > MAX_ROWS && { has_more: true }) };
}

function searchObjects(database: DatabaseSync, input: z.infer<typeof searchInput>): Row[] {
  const sql =
    input.object_type === "column"
      ? "SELECT t.name AS 'table', c.name AS name, c.type AS type FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type IN ('table', 'view') AND c.name LIKE ? ORDER BY 1, c.cid LIMIT ?"
      : "SELECT name, tbl_name AS 'table' FROM sqlite_schema WHERE name LIKE ? AND type = ? AND name NOT LIKE 'sqlite_%' ORDER BY 1 LIMIT ?";
  const middle = input.object_type === "column" ? [] : [input.object_type];
  return database.prepare(sql).all(input.pattern, ...middle, input.limit);
}

function answer(run: () => object): CallToolResult {
  try {
    return { content: [{ type: "text", text: JSON.stringify(run(), toJsonValue, 2) }] };
  } catch (thrown) {
    return toErrorResult({
      what: "The statement was not executed.",
      why: `${toMessage(thrown).replace(/\.$/, "")}.`,
      fix: "Correct the SQL; `search_objects` lists tables and columns.",
    });
  }
}

/** Whole numbers beyond what JSON readers keep, and bytes, go as text. */
function toJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
