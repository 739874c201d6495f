/** Identifiers and secrets: 128 random bits or more, never a proof of identity by themselves. */
import { randomBytes } from "node:crypto";

/** Random bytes; taken as a parameter so that a failing run can be played again. */
export type Random = (size: number) => Uint8Array;

const POOL_BYTES = 4096;
const MAX_POOLED_LENGTH = 16;
let pool = Buffer.alloc(0);

/** Asks the system for the bytes of many identifiers at once. */
export const systemRandom: Random = (size) => {
  if (size > MAX_POOLED_LENGTH) return randomBytes(size);
  if (pool.length < size) pool = randomBytes(POOL_BYTES);
  // INVARIANT: no byte is given out twice.
  const bytes = Uint8Array.from(pool.subarray(0, size));
  pool = pool.subarray(size);
  return bytes;
};

/** An unguessable identifier with 128 random bits, such as `sess_…`. */
export const createId = (prefix: string, random: Random): string =>
  `${prefix}_${Buffer.from(random(16)).toString("hex")}`;
