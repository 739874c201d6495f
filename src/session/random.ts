/** Identifiers and secrets: 128 random bits or more, never a proof of identity by themselves. */
import { randomBytes } from "node:crypto";

/** Random bytes; taken as a parameter so that a failing run can be played again. */
export type Random = (size: number) => Uint8Array;

export const systemRandom: Random = (size) => randomBytes(size);

/** An unguessable identifier with 128 random bits, such as `sess_…`. */
export const createId = (prefix: string, random: Random): string =>
  `${prefix}_${Buffer.from(random(16)).toString("hex")}`;
