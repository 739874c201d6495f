/**
 * A call that is held until a person has answered its approval: the decision is made again, with every check, each
 * time that something was answered. A caller that leaves is never decided for again, so its call doesn't run.
 */

import type { AnswerWatch, HeldFor } from "../approvals/answer-watch.ts";
import type { CallDecision } from "./admission.ts";

/** How long a call may be held for a person. */
export interface WaitOptions {
  /** Left out: not at all. */
  readonly waitSeconds?: number;
  /** The caller; once it is gone the call isn't run. */
  readonly signal?: AbortSignal;
  /** Ends the holding, for a caller that takes the decision as it is then. */
  readonly stop?: AbortSignal;
  /** Told once of the decision that the call is held for, when it begins to wait. */
  readonly onWaiting?: (decision: CallDecision) => void;
}

/** Answers of other processes are looked for this often. */
const RECHECK_MS = 1000;

/**
 * The decision as it is once its approval was answered or has expired, or as it still is when the time is up.
 * `again` decides afresh, unless it can tell that nothing has changed; it is given what was decided last.
 */
export async function waitForApproval<Held extends { readonly decision: CallDecision }>(
  watch: AnswerWatch,
  { session, labelHolder }: Pick<HeldFor, "session" | "labelHolder">,
  first: Held,
  { waitSeconds = 0, signal, stop, onWaiting }: WaitOptions,
  again: (held: Held, heldUntil: string) => Promise<Held>,
): Promise<Held> {
  if (first.decision.approval === null || !(waitSeconds > 0)) return first;
  const waiter = watch.begin({ session, labelHolder, approval: first.decision.approval.id });
  if (waiter === null) return first;
  const end = performance.now() + waitSeconds * 1000;
  const signals = [signal, stop].filter((one) => one !== undefined);
  const over = signals.length > 0 ? AbortSignal.any(signals) : undefined;
  try {
    onWaiting?.(first.decision);
    for (let held = first; ; ) {
      const { approval } = held.decision;
      if (approval === null || over?.aborted) return held;
      held = await again(held, approval.expiresAt);
      const left = end - performance.now();
      if (held.decision.approval === null || left <= 0 || watch.isClosed) return held;
      waiter.holdFor(held.decision.approval.id);
      await waiter.next(Math.min(left, RECHECK_MS), over);
    }
  } finally {
    waiter.end();
  }
}
