/** Checksums over the values beside the journals, which no chain of hashes covers. */
import { createHash } from "node:crypto";
import { canonicalJson } from "../json/canonical-json.ts";

const sha256 = (value: readonly unknown[]): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex");

/** SHA-256, in hex, over a kept value, where it belongs and its place in the order (null: the place isn't covered). */
export const keptChecksum = (position: number | null, session: string, key: string, value: string): string =>
  sha256(["kept", position, session, key, value]);

/** SHA-256, in hex, over a principal and the session it falls back to. */
export const stickyChecksum = (principal: string, session: string): string =>
  sha256(["sticky", principal, session]);
