/** Token buckets, by name: what is taken from one comes back as time passes, up to the most that it holds. */
import { BoundedMap } from "../json/bounded-map.ts";

interface TokenBucket {
  readonly name: string;
  readonly most: number;
  readonly perSecond: number;
}

/** So many are kept. One that was taken from longest ago is forgotten first, and is full then. */
const MAX_BUCKETS = 100_000;

export class TokenBuckets {
  readonly #left = new BoundedMap<string, { readonly count: number; readonly at: number }>(MAX_BUCKETS);

  /** Takes one from each bucket at a time in milliseconds; takes none and returns false if one of them has none. */
  take(at: number, ...buckets: readonly TokenBucket[]): boolean {
    const left = buckets.map((bucket) => ({ name: bucket.name, count: this.#leftIn(bucket, at) }));
    if (left.some(({ count }) => count < 1)) return false;
    for (const { name, count } of left) this.#left.set(name, { count: count - 1, at });
    return true;
  }

  #leftIn({ name, most, perSecond }: TokenBucket, at: number): number {
    const before = this.#left.get(name);
    if (before === undefined) return most;
    // A clock may be set back.
    return Math.min(most, before.count + (Math.max(0, at - before.at) / 1000) * perSecond);
  }
}
