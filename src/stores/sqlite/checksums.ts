/** Checksums over the values that no chain covers: whatever stands in such a row is in its checksum. */
import { canonicalJson, sealHash } from "../../runtime/index.ts";

/** SHA-256, in hex, over a kept value, where it belongs and its place in the order. */
export function keptChecksum(position: number, session: string, key: string, value: string): string {
  return sealHash(canonicalJson(["kept", position, session, key, value]));
}

/** SHA-256, in hex, over a principal and the session it falls back to. */
export function stickyChecksum(principal: string, session: string): string {
  return sealHash(canonicalJson(["sticky", principal, session]));
}
