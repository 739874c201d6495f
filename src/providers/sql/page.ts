/** Cuts a page out of the rows of a query. */
import { SluicegateError } from "../../errors/index.ts";
import { MAX_CELL_LENGTH, toCell } from "./cell.ts";
import type { CutCell, SqlCell, SqlPage, SqlPageRequest } from "./sql-engine.ts";

/** The most bytes that the names of all columns may have. */
const MAX_NAMES_LENGTH = 131_072;
const SHORTEST_CELL = 64;
/** Cells of a page, with one more for each row: the values of a result are bounded, whoever gives it. */
const MAX_VALUES = 90_000;
/** Bytes of a page, which stands in its result twice, as text and as structured content. */
const MAX_BYTES = 3 * 1024 * 1024;

/** Takes rows until the page is full, by number or by bytes, and sees whether there is one more. */
export function toPage(
  columns: readonly string[],
  source: Iterable<readonly unknown[]>,
  request: SqlPageRequest,
): SqlPage {
  const { offset } = request;
  const limit = Math.min(request.limit, Math.max(1, Math.floor(MAX_VALUES / (columns.length + 1))));
  const bytes = Math.min(request.bytes, MAX_BYTES);
  if (bytesOf(columns) > MAX_NAMES_LENGTH) throw tooLongNames();
  const rows: (readonly SqlCell[])[] = [];
  const cut: CutCell[] = [];
  let passed = 0;
  let size = 0;
  for (const values of source) {
    passed += 1;
    if (passed <= offset) continue;
    if (rows.length === limit) return { columns, rows, cut, more: true };
    let made = makeRow(values, columns, rows.length, MAX_CELL_LENGTH);
    // INVARIANT: a page has a row, or paging would never end. One that is too wide is cut in each of its cells.
    if (made.bytes > bytes && rows.length === 0) {
      const longest = Math.max(SHORTEST_CELL, Math.floor(bytes / values.length));
      made = makeRow(values, columns, rows.length, Math.min(longest, MAX_CELL_LENGTH));
    }
    size += made.bytes;
    if (size > bytes && rows.length > 0) return { columns, rows, cut, more: true };
    rows.push(made.row);
    cut.push(...made.cut);
  }
  return { columns, rows, cut, more: false };
}

interface MadeRow {
  readonly row: readonly SqlCell[];
  readonly cut: readonly CutCell[];
  readonly bytes: number;
}

function makeRow(
  values: readonly unknown[],
  columns: readonly string[],
  place: number,
  longest: number,
): MadeRow {
  const made = values.map((value) => toCell(value, longest));
  const row = made.map(({ cell }) => cell);
  const cut = made.flatMap(({ cutFrom }, index) =>
    cutFrom === null ? [] : [{ row: place, column: columns[index] ?? "", bytes: cutFrom }],
  );
  return { row, cut, bytes: bytesOf(row) + (cut.length > 0 ? bytesOf(cut) : 0) + 1 };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const tooLongNames = (): SluicegateError =>
  new SluicegateError("invalid-request", "The result can't be given.", {
    why: `The names of its columns have more than ${MAX_NAMES_LENGTH} bytes together.`,
    fix: "Ask for fewer columns, or give them shorter names.",
  });
