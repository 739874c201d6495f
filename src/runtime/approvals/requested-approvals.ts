/**
 * How many approvals have been requested lately, by principal and by label holder. THREAT: so many are listed at once,
 * oldest first, and a principal with many sessions could fill the list.
 */
import { BoundedMap } from "../../json/bounded-map.ts";
import { OPERATOR } from "../gate-options.ts";

/** How many may be requested within the time in which one can be answered, or an hour, counted by each process. */
const MAX_OF_PRINCIPAL = 10_000;
const MAX_OF_HOLDER = 1000;
/** So that a session of weeks isn't left with one in ten minutes. */
const MAX_SECONDS = 3600;
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
    const at = now.getTime();
    // Where principals have no tokens of their own, all sessions are the operator's.
    const isShared = principal !== "" && principal !== OPERATOR;
    const limits: readonly (readonly [name: string, most: number])[] = [
      [labelHolder, MAX_OF_HOLDER],
      ...(isShared ? [[`sessions of ${principal}`, MAX_OF_PRINCIPAL] as const] : []),
    ];
    const left = limits.map(([name, most]) => ({ name, count: this.#leftOf(name, most, at, seconds) }));
    if (left.some(({ count }) => count < 1)) return false;
    for (const { name, count } of left) this.#left.set(name, { count: count - 1, at });
    return true;
  }

  #leftOf(name: string, most: number, at: number, seconds: number): number {
    const before = this.#left.get(name);
    if (before === undefined) return most;
    // A clock may be set back.
    const passed = Math.max(0, at - before.at) / 1000;
    return Math.min(most, before.count + passed * (most / Math.max(1, Math.min(seconds, MAX_SECONDS))));
  }
}
