/**
 * How many approvals have been requested lately, by principal and by label holder. THREAT: so many are listed at once,
 * oldest first, and a principal with many sessions could fill the list.
 */
import { TokenBuckets } from "../../threads/index.ts";
import { OPERATOR } from "../gate-options.ts";

interface Limit {
  /** How many may be requested within the time in which one can be answered, counted by each process. */
  readonly most: number;
  /** Or within this time, so that an expiry of weeks doesn't leave one in ten minutes. */
  readonly seconds: number;
}

const OF_HOLDER: Limit = { most: 1000, seconds: 3600 };
/** With an expiry of a week, 80,000 may wait, of the 100,000 that lists read. */
const OF_PRINCIPAL: Limit = { most: 10_000, seconds: 86_400 };

export class RequestedApprovals {
  readonly #buckets = new TokenBuckets();

  /** Counts one; false if there are too many. `seconds`: how long it can be answered. */
  take(
    owner: { readonly principal: string; readonly labelHolder: string },
    now: Date,
    seconds: number,
  ): boolean {
    const { principal, labelHolder } = owner;
    const bucket = (name: string, limit: Limit) => ({
      name,
      most: limit.most,
      perSecond: limit.most / Math.max(1, Math.min(seconds, limit.seconds)),
    });
    const ofHolder = bucket(labelHolder, OF_HOLDER);
    // Where principals have no tokens of their own, all sessions are the operator's.
    return principal === "" || principal === OPERATOR
      ? this.#buckets.take(now.getTime(), ofHolder)
      : this.#buckets.take(now.getTime(), ofHolder, bucket(`sessions of ${principal}`, OF_PRINCIPAL));
  }
}
