/** Of a session's approvals one is shown at a time: the others wait for their turn. */
import type { Gate } from "../../runtime/index.ts";

/** What other processes do to a queue is looked for this often. */
const RECHECK_MS = 5000;
const MOVING: ReadonlySet<string> = new Set(["approval-answered", "approval-ended", "session-closed"]);

/** Resolves once an approval is the one to be shown: true; or it is over, or `signal` aborts: false. */
export async function untilFirst(
  gate: Gate,
  session: string,
  approval: string,
  signal: AbortSignal,
): Promise<boolean> {
  let changed = Promise.withResolvers<void>();
  const tell = (): void => changed.resolve();
  const stop = gate.watch((entries) => {
    // THREAT: an agent writes as many entries as it likes; only one that ends an approval moves the queue.
    if (entries.some((one) => one.session === session && MOVING.has(one.entry.kind))) tell();
  });
  const timer = setInterval(tell, RECHECK_MS);
  timer.unref();
  signal.addEventListener("abort", tell, { once: true });
  try {
    while (!signal.aborted) {
      changed = Promise.withResolvers();
      const found = await gate.approval(approval);
      if ("outcome" in found) return false;
      if (found.before === 0) return !signal.aborted;
      await changed.promise;
    }
    return false;
  } finally {
    stop();
    clearInterval(timer);
    signal.removeEventListener("abort", tell);
  }
}
