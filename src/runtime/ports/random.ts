/** Identifiers and secrets of 128 random bits or more. An identifier alone proves no identity. */
import { randomBytes } from "node:crypto";

/** Random bytes. Passed as a parameter, so that a failing run can be repeated. */
export type Random = (size: number) => Uint8Array;

const POOL_BYTES = 4096;
const MAX_POOLED_LENGTH = 16;
let pool = Buffer.alloc(0);

/** Gets the bytes of many identifiers from the system at once. */
export const systemRandom: Random = (size) => {
  if (size > MAX_POOLED_LENGTH) return randomBytes(size);
  if (pool.length < size) pool = randomBytes(POOL_BYTES);
  // INVARIANT: no byte is used twice.
  const bytes = Uint8Array.from(pool.subarray(0, size));
  pool = pool.subarray(size);
  return bytes;
};

/** An unguessable identifier with 128 random bits, such as `sess_…`. */
export const createId = (prefix: string, random: Random): string =>
  `${prefix}_${Buffer.from(random(16)).toString("hex")}`;
