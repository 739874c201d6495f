/** Reads columns of SQLite's rows with their types. STRICT tables hold no others, unless the file is damaged. */
import type { SQLOutputValue } from "node:sqlite";
import { damaged } from "./store-errors.ts";

/** A row as `node:sqlite` gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>> | undefined;

/** The text in a column. Throws SluicegateError `store-damaged` where there is none. */
export function text(row: Row, column: string): string {
  const value = row?.[column];
  if (typeof value !== "string") {
    throw wrongType(column);
  }
  return value;
}

/** The whole number in a column. Throws SluicegateError `store-damaged` where there is none. */
export function integer(row: Row, column: string): number {
  const value = row?.[column];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw wrongType(column);
  }
  return value;
}

const wrongType = (column: string) =>
  damaged(
    "A row of the store can't be read.",
    `What stands in \`${column}\` is not of the type that was written.`,
  );
