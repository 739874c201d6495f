/**
 * How many approvals each principal has requested lately. THREAT: so many are listed at once, oldest first, and a
 * principal with many sessions could fill the list.
 */
import { BoundedMap } from "../../json/bounded-map.ts";

/** How many a principal may request within the time in which one can be answered, counted by each process. */
const MOST = 10_000;
const MAX_PRINCIPALS = 100_000;

export class RequestedApprovals {
  readonly #left = new BoundedMap<string, { readonly count: number; readonly at: number }>(MAX_PRINCIPALS);

  /** Counts one; false if there are too many. `seconds`: how long it can be answered. */
  take(principal: string, now: Date, seconds: number): boolean {
    const at = now.getTime();
    const before = this.#left.get(principal) ?? { count: MOST, at };
    const count = Math.min(MOST, before.count + ((at - before.at) / 1000) * (MOST / seconds));
    if (count < 1) return false;
    this.#left.set(principal, { count: count - 1, at });
    return true;
  }
}
