/**
 * What the order of rows hangs on besides the values that a query reads: rows come in the order of the trees that
 * its program walks through, and of several rows that are all as good, the first is taken.
 */
import type { SchemaCatalog } from "../schema-catalog.ts";
import type { Instruction, Read } from "./compile.ts";

/** The columns that order the trees which a program opens, or null where one isn't known. */
export function findOrderColumns(
  program: readonly Instruction[],
  catalogue: SchemaCatalog,
): readonly Read[] | null {
  const found: Read[] = [];
  const isIndexed = program.some(({ opcode }) => opcode === "OpenAutoindex");
  for (const { opcode, p2, p3 } of program) {
    const opens = opensTree(opcode);
    if (opens === null) return null;
    // Page 1 is the catalogue's own.
    if (!opens || p2 === 1) continue;
    const tree = p3 === 0 ? catalogue.trees.get(p2) : undefined;
    if (tree === undefined || (isIndexed && tree.table.columns.length > MAX_COLUMNS)) return null;
    for (const column of tree.columns) found.push({ table: tree.table.name, column });
  }
  return found;
}

/** Of wider tables, an index that SQLite makes for one query has columns which the query doesn't read. */
const MAX_COLUMNS = 62;

/** What opens something of the query's own making, or a table-valued function. */
const OWN = new Set(["OpenEphemeral", "OpenAutoindex", "OpenPseudo", "OpenDup", "SorterOpen", "VOpen"]);

function opensTree(opcode: string): boolean | null {
  if (opcode === "OpenRead" || opcode === "ReopenIdx") return true;
  return /open/i.test(opcode) && !OWN.has(opcode) ? null : false;
}
