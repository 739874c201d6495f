/** Makes a page of a query's rows, with values as JSON. Long values become a preview. */
import { SluicegateError } from "../../errors/index.ts";
import type { CutCell, SqlCell, SqlPage, SqlPageRequest } from "./sql-engine.ts";

/** The longest text or binary value that isn't truncated, in bytes. */
export const MAX_CELL_LENGTH = 8192;
const PREVIEW_BYTES = 64;

/** A cell, and the value's length in bytes if it was truncated. */
interface MadeCell {
  readonly cell: SqlCell;
  readonly cutFrom: number | null;
}

/**
 * A cell from a driver's value. Integers beyond 2^53 and dates become text, binary data its length and first bytes,
 * and other objects JSON text.
 * @param longest the longest text that isn't truncated, in bytes
 */
export function toCell(value: unknown, longest = MAX_CELL_LENGTH): MadeCell {
  if (value === null || value === undefined) return whole(null);
  if (typeof value === "boolean") return whole(value);
  if (typeof value === "number") return whole(Number.isFinite(value) ? value : String(value));
  if (typeof value === "bigint") return whole(isSafe(value) ? Number(value) : value.toString());
  if (typeof value === "string") return fromText(value, longest);
  if (value instanceof Uint8Array) return fromBytes(value);
  if (value instanceof Date) return whole(Number.isNaN(value.getTime()) ? null : value.toISOString());
  return fromText(JSON.stringify(value) ?? String(value), longest);
}

const whole = (cell: SqlCell): MadeCell => ({ cell, cutFrom: null });

const isSafe = (value: bigint): boolean =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);

function fromText(text: string, longest: number): MadeCell {
  // A character has one to three bytes, so most texts need not be measured.
  if (text.length * 3 <= longest) return whole(text);
  const bytes = Buffer.byteLength(text);
  if (bytes <= longest) return whole(text);
  const start = Buffer.from(text.slice(0, longest)).subarray(0, longest).toString("utf8");
  // The last character may be incomplete.
  return { cell: start.replace(/\uFFFD$/, ""), cutFrom: bytes };
}

function fromBytes(value: Uint8Array): MadeCell {
  const preview = Buffer.from(value.subarray(0, PREVIEW_BYTES)).toString("hex");
  return whole({ bytes: value.byteLength, preview_hex: preview });
}

/** Bytes of the names of all columns. */
const MAX_NAMES_LENGTH = 131_072;
const MIN_CELL_LENGTH = 64;
/** Cells of a page, with one more for each row, because the number of values of a result is limited. */
const MAX_VALUES = 90_000;
/** Bytes of a page, which is in its result twice: as text and as structured content. */
const MAX_BYTES = 3 * 1024 * 1024;

/** Takes rows until the page is full, and checks whether there is one more. */
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
    // INVARIANT: a page has at least one row, or paging would never end. If that row is too wide, its cells are
    // truncated.
    if (made.bytes > bytes && rows.length === 0) {
      const longest = Math.max(MIN_CELL_LENGTH, Math.floor(bytes / values.length));
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
