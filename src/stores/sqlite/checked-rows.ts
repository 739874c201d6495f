/** Rows of the tables beside the journals, each compared with its checksum. */
import type { KeptValue } from "../../runtime/index.ts";
import { keptChecksum, stickyChecksum } from "../row-checksums.ts";
import { damaged } from "../store-errors.ts";
import { integer, type Row, text } from "./sqlite-module.ts";

/** The kept value of a row. Throws SluicegateError `store-damaged` where its checksum is another one. */
export function toKept(row: Row): KeptValue {
  const kept = {
    position: integer(row, "position"),
    session: text(row, "session"),
    key: text(row, "key"),
    value: text(row, "value"),
  };
  const checksum = keptChecksum(kept.position, kept.session, kept.key, kept.value);
  if (checksum !== text(row, "checksum")) {
    throw damaged(
      "A value that was kept beside a session's journal can't be trusted.",
      "It doesn't have the checksum that is stored with it.",
      { session: kept.session },
    );
  }
  return kept;
}

/** The session of a sticky row. Throws SluicegateError `store-damaged` where its checksum is another one. */
export function toSticky(row: Row): string {
  const session = text(row, "session");
  if (stickyChecksum(text(row, "principal"), session) !== text(row, "checksum")) {
    throw damaged(
      "The session that a principal falls back to can't be trusted.",
      "Its row doesn't have the checksum that is stored with it.",
      { session },
    );
  }
  return session;
}
