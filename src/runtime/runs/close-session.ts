/** Closes a session. The words and arguments stored beside its journal are deleted. */
import type { SessionEvent, SessionState } from "../../core/index.ts";
import { agentWordKeys } from "../appeals.ts";
import { forgetEdit } from "../approvals/edit-approval.ts";
import { keepEnd } from "../approvals/kept-approvals.ts";
import { APPROVED_KEY } from "../approvals/propose-standing.ts";
import type { Ledger, Proposal } from "../journal/ledger.ts";
import { toTimestamp } from "../ports/clock.ts";
import { closedSession, TASK_KEY } from "./fork-session.ts";
import { forgetRun } from "./paused-runs.ts";

type Closing = Extract<SessionEvent, { kind: "session-closed" }>;

/** Durable when it resolves. @throws SluicegateError `session-closed` if it is closed already */
export async function closeSession(ledger: Ledger, successor: string): Promise<void> {
  await ledger.commit((state, now) => {
    if (state.closed) throw closedSession();
    return proposeClosing(ledger.session, state, now, { kind: "session-closed", reason: "reset", successor });
  });
}

export function proposeClosing(
  session: string,
  state: SessionState,
  now: Date,
  event: Closing,
): Proposal<undefined> {
  const at = toTimestamp(now);
  const pending = state.pending.flatMap(({ id }) =>
    keepEnd({ id, session, outcome: "closed", by: null, at }),
  );
  const words = [TASK_KEY, APPROVED_KEY, ...agentWordKeys(state)].map((key) => ({ key, value: null }));
  const edits = state.answers.flatMap(({ id, editOf }) => (editOf === undefined ? [] : [forgetEdit(id)]));
  const runs = state.pausedRuns.flatMap(({ run }) => forgetRun(run));
  return { events: [event], keep: [...pending, ...edits, ...words, ...runs], value: undefined };
}
