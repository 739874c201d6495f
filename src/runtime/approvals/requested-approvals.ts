/**
 * How many approvals have been requested lately, by principal and by label holder. THREAT: so many are listed at once,
 * oldest first, and a principal with many sessions could fill the list.
 */
import { TokenBuckets } from "../../threads/index.ts";
import { OPERATOR } from "../gate-options.ts";

/** How many may be requested within the time in which one can be answered, or an hour, counted by each process. */
const MAX_OF_PRINCIPAL = 10_000;
const MAX_OF_HOLDER = 1000;
/** So that a session of weeks isn't left with one in ten minutes. */
const MAX_SECONDS = 3600;

export class RequestedApprovals {
  readonly #buckets = new TokenBuckets();

  /** Counts one; false if there are too many. `seconds`: how long it can be answered. */
  take(
    owner: { readonly principal: string; readonly labelHolder: string },
    now: Date,
    seconds: number,
  ): boolean {
    const { principal, labelHolder } = owner;
    const bucket = (name: string, most: number) => ({
      name,
      most,
      perSecond: most / Math.max(1, Math.min(seconds, MAX_SECONDS)),
    });
    const ofHolder = bucket(labelHolder, MAX_OF_HOLDER);
    // Where principals have no tokens of their own, all sessions are the operator's.
    return principal === "" || principal === OPERATOR
      ? this.#buckets.take(now.getTime(), ofHolder)
      : this.#buckets.take(now.getTime(), ofHolder, bucket(`sessions of ${principal}`, MAX_OF_PRINCIPAL));
  }
}
