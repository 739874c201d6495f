/** Rows of the tables beside the journals, each compared with its checksum. */
import type { KeptValue } from "../../runtime/index.ts";
import { checkKept, checkSticky } from "../row-checksums.ts";
import { integer, type Row, text } from "./sqlite-module.ts";

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
