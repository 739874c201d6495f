/**
 * The runtime's own SQLite, or an error that says what it lacks: an import by name would fail without a reason; and the
 * columns of its rows with their types. STRICT tables hold no others, unless the file is damaged.
 */
import type { SQLOutputValue } from "node:sqlite";
import { SluicegateError } from "../../errors/index.ts";
import type { KeptValue } from "../../runtime/index.ts";
import { checkKept, checkSticky } from "../sealed-row.ts";
import { damaged } from "../store-errors.ts";

type SqliteModule = typeof import("node:sqlite");

/** @throws SluicegateError `store-failed` where the runtime has no `node:sqlite`. */
export function loadSqlite(
  find: ((id: "node:sqlite") => SqliteModule | undefined) | undefined = process.getBuiltinModule,
): SqliteModule {
  const found = find?.("node:sqlite");
  if (found !== undefined) return found;
  throw new SluicegateError("store-failed", "Sluicegate can't be loaded in this runtime.", {
    why: `It needs \`node:sqlite\`, which Node ${process.versions.node} doesn't have.`,
    fix: "Run the program with Node 24 or later.",
  });
}

export const { DatabaseSync } = loadSqlite();
export type DatabaseSync = InstanceType<SqliteModule["DatabaseSync"]>;

/** A row as `node:sqlite` gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>> | undefined;

/** The text in a column. Throws SluicegateError `store-damaged` if there is none. */
export function text(row: Row, column: string): string {
  const value = row?.[column];
  if (typeof value !== "string") {
    throw wrongType(column);
  }
  return value;
}

/** The whole number in a column. Throws SluicegateError `store-damaged` if there is none. */
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

/** The kept value of a row. @throws SluicegateError `store-damaged` if its checksum doesn't match */
export function toKept(row: Row): KeptValue {
  const kept = {
    position: integer(row, "position"),
    session: text(row, "session"),
    key: text(row, "key"),
    value: text(row, "value"),
  };
  return checkKept(kept, kept.position, text(row, "checksum"));
}

/** The session of a sticky row. @throws SluicegateError `store-damaged` if its checksum doesn't match */
export const toSticky = (row: Row): string =>
  checkSticky(text(row, "principal"), text(row, "session"), text(row, "checksum"));
