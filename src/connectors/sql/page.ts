/** Cuts a page out of the rows of a query. */
import { toCell } from "./cell.ts";
import type { CutCell, SqlCell, SqlPage, SqlPageRequest } from "./sql-engine.ts";

/** Takes rows until the page is full, by number or by bytes, and sees whether there is one more. */
export function toPage(
  columns: readonly string[],
  source: Iterable<readonly unknown[]>,
  { offset, limit, bytes }: SqlPageRequest,
): SqlPage {
  const rows: (readonly SqlCell[])[] = [];
  const cut: CutCell[] = [];
  let passed = 0;
  let size = 0;
  for (const values of source) {
    passed += 1;
    if (passed <= offset) continue;
    if (rows.length === limit) return { columns, rows, cut, more: true };
    const made = values.map(toCell);
    const row = made.map(({ cell }) => cell);
    size += Buffer.byteLength(JSON.stringify(row)) + 1;
    // INVARIANT: a page has a row, or paging would never end.
    if (size > bytes && rows.length > 0) return { columns, rows, cut, more: true };
    for (const [index, { cutFrom }] of made.entries())
      if (cutFrom !== null) cut.push({ row: rows.length, column: columns[index] ?? "", bytes: cutFrom });
    rows.push(row);
  }
  return { columns, rows, cut, more: false };
}
