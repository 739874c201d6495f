/** The tools that every database has. */

/** By their own names. */
export const DATABASE_TOOLS: readonly string[] = Object.freeze([
  "query",
  "list_tables",
  "describe_table",
  "get_row",
]);

/** Those of them that show what stands in tables, and not only which tables there are. */
export const ROW_READING: ReadonlySet<string> = new Set(["query", "get_row"]);
