/** The identity of a file, independent of its name: its device and inode, exact beyond 2^53. */
import type { BigIntStats } from "node:fs";

export interface Identity {
  readonly dev: string;
  readonly ino: string;
}

export const toIdentity = ({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): Identity => ({
  dev: String(dev),
  ino: String(ino),
});

export const sameIdentity = (one: Identity, other: Identity): boolean =>
  one.dev === other.dev && one.ino === other.ino;
