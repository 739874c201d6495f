/** A call that waits for a person. */
import type { AnswerWatch, HeldFor } from "../approvals/answer-watch.ts";
import type { CallOptions, Decided } from "./call-pipeline.ts";

/** How often to look for answers of other processes. */
const RECHECK_MS = 1000;

/**
 * Waits for a person: returns the decision after the answer or the expiry, or the last one if the time is up. `again`
 * decides again, with the last decision, unless nothing has changed. For a caller that leaves, nothing more is
 * decided, so its call doesn't run.
 */
export async function waitForApproval(
  watch: AnswerWatch,
  who: Omit<HeldFor, "approval">,
  first: Decided,
  { waitSeconds = 0, signal, stop, onWaiting }: CallOptions,
  again: (held: Decided, waitedUntil: string) => Promise<Decided>,
): Promise<Decided> {
  if (first.decision.approval === null) return first;
  watch.noteContact(first.decision.approval.id);
  if (!(waitSeconds > 0)) return first;
  const waiter = watch.begin({ ...who, approval: first.decision.approval.id });
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
