/** Checksums over the values beside the journals, which no chain of hashes covers. */
import { createHash } from "node:crypto";
import { canonicalJson } from "../json/canonical-json.ts";
import type { KeptValue } from "../runtime/index.ts";
import { damaged } from "./store-errors.ts";

const sha256 = (value: readonly unknown[]): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex");

/** SHA-256, in hex, over a kept value, where it belongs and its place in the order (null: the place isn't covered). */
export const keptChecksum = (position: number | null, session: string, key: string, value: string): string =>
  sha256(["kept", position, session, key, value]);

/** SHA-256, in hex, over a principal and the session it falls back to. */
export const stickyChecksum = (principal: string, session: string): string =>
  sha256(["sticky", principal, session]);

/** Returns a stored value if its checksum matches. `position` as for `keptChecksum`. @throws SluicegateError `store-damaged` */
export function checkKept(kept: KeptValue, position: number | null, checksum: unknown): KeptValue {
  if (keptChecksum(position, kept.session, kept.key, kept.value) === checksum) return kept;
  throw damaged(
    "A value that was kept beside a session's journal can't be trusted.",
    "It doesn't have the checksum that is stored with it.",
    { session: kept.session },
  );
}

/** Returns a principal's stored session if its checksum matches. @throws SluicegateError `store-damaged` */
export function checkSticky(principal: string, session: string, checksum: unknown): string {
  if (stickyChecksum(principal, session) === checksum) return session;
  throw damaged(
    "The session that a principal falls back to can't be trusted.",
    "Its row doesn't have the checksum that is stored with it.",
    { session },
  );
}
