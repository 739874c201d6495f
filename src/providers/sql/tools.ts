/** The tools of a database as models see them. */
import type { JsonObject, OfferedTool } from "../../runtime/index.ts";
import type { DatabaseLimits } from "./database.ts";

const TOOL_NAMES = ["query", "list_tables", "describe_table", "get_row"] as const;

export type ToolName = (typeof TOOL_NAMES)[number];

const LABELS =
  "Each column has a sensitivity. A call raises the session to that of the columns it touches, also those in WHERE, " +
  "JOIN, GROUP BY and ORDER BY, so name the columns that you need instead of using `*`.";

export function toOfferedTools(
  id: string,
  dialect: string,
  limits: DatabaseLimits,
): ReadonlyMap<string, OfferedTool> {
  const tools: Readonly<Record<ToolName, OfferedTool>> = {
    query: {
      name: "query",
      title: `Query ${id}`,
      description:
        `Runs one SELECT statement (${dialect}) on the database \`${id}\`, which can only be read. ${LABELS} ` +
        "Rows come in pages: `next_offset` in a result says where the next one starts. Long values are cut, as `cut` says.",
      inputSchema: toSchema(querySchema(limits), ["sql"]),
      annotations: ANNOTATIONS,
    },
    list_tables: {
      name: "list_tables",
      title: `Tables of ${id}`,
      description:
        `Lists the tables and views of the database \`${id}\`, each with the sensitivity of all its columns together; ` +
        "single columns may be less sensitive, as `describe_table` tells. Reads no rows.",
      inputSchema: toSchema({}, []),
      annotations: ANNOTATIONS,
    },
    describe_table: {
      name: "describe_table",
      title: `A table of ${id}`,
      description:
        `Describes a table or view of the database \`${id}\`: its columns with type, sensitivity and keys. ` +
        "Reads no rows. Use it before `query`, to see which columns keep the session clean.",
      inputSchema: toSchema({ table: TABLE }, ["table"]),
      annotations: ANNOTATIONS,
    },
    get_row: {
      name: "get_row",
      title: `A row of ${id}`,
      description:
        `Reads one row of a table of the database \`${id}\` by its primary key, with all columns. ` +
        "It raises the session to the sensitivity of the whole table; `query` can read less.",
      inputSchema: toSchema(
        { table: TABLE, id: { type: ["string", "number"], description: "The value of the primary key." } },
        ["table", "id"],
      ),
      annotations: ANNOTATIONS,
    },
  };
  return new Map(TOOL_NAMES.map((name) => [name, tools[name]]));
}

const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false };
const TABLE = { type: "string", description: "The name of a table or view, as `list_tables` gives it." };

const toSchema = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const querySchema = ({ rows }: DatabaseLimits): JsonObject => ({
  sql: { type: "string", description: "One SELECT statement; it may begin with WITH." },
  parameters: {
    description: "Values for the places in the statement, in order. Put values here and not into the SQL.",
    type: ["array", "object"],
  },
  limit: {
    type: "integer",
    minimum: 1,
    maximum: rows,
    default: Math.min(100, rows),
    description: "The most rows of this page.",
  },
  offset: { type: "integer", minimum: 0, default: 0, description: "How many rows to pass over." },
});
