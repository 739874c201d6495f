/**
 * How many approvals have been requested lately, by principal and by label holder. THREAT: so many are listed at once,
 * oldest first, and a principal with many sessions could fill the list.
 */
import { BoundedMap } from "../../json/bounded-map.ts";
import { OPERATOR } from "../gate-options.ts";

/** How many may be requested within the time in which one can be answered, counted by each process. */
const MAX_OF_PRINCIPAL = 10_000;
const MAX_OF_HOLDER = 1000;
const MAX_COUNTED = 100_000;

export class RequestedApprovals {
  readonly #left = new BoundedMap<string, { readonly count: number; readonly at: number }>(MAX_COUNTED);

  /** Counts one; false if there are too many. `seconds`: how long it can be answered. */
  take(
    owner: { readonly principal: string; readonly labelHolder: string },
    now: Date,
    seconds: number,
  ): boolean {
    const { principal, labelHolder } = owner;
    if (!this.#take(labelHolder, MAX_OF_HOLDER, now, seconds)) return false;
    // Where principals have no tokens of their own, all sessions are the operator's.
    if (principal === "" || principal === OPERATOR) return true;
    return this.#take(`sessions of ${principal}`, MAX_OF_PRINCIPAL, now, seconds);
  }

  #take(name: string, most: number, now: Date, seconds: number): boolean {
    const at = now.getTime();
    const before = this.#left.get(name) ?? { count: most, at };
    const count = Math.min(most, before.count + ((at - before.at) / 1000) * (most / seconds));
    if (count < 1) return false;
    this.#left.set(name, { count: count - 1, at });
    return true;
  }
}
