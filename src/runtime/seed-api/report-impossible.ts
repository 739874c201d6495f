/**
 * Lets an agent report that it can't continue, for example after a person's denial. What it has pending is cancelled.
 */
import { type SessionState, waitingAt } from "../../core/index.ts";
import { keepEnd } from "../approvals/kept-approvals.ts";
import { toEnded } from "../approvals/request-approval.ts";
import type { Proposal } from "../journal/ledger.ts";
import type { JsonObject } from "../ports/provider.ts";
import type { Session } from "../session.ts";

/** The agent's own words, stored beside the journal: they may contain what the session has read. */
export const IMPOSSIBLE_KEY = "impossible";

/** Characters of a stored reason. */
export const MAX_REASON_LENGTH = 4096;

/** The events for a task that can't be done: ends what is pending in the session. */
export function proposeImpossible(
  session: string,
  state: SessionState,
  reason: string,
  at: string,
): Proposal<void> {
  const waiting = new Set(waitingAt(state, at));
  const ends = state.pending.map((one) =>
    waiting.has(one)
      ? ({ one, outcome: "cancelled", at } as const)
      : ({ one, outcome: "expired", at: one.expires } as const),
  );
  // Truncate first: that may leave half a character.
  const words = { key: IMPOSSIBLE_KEY, value: reason.slice(0, MAX_REASON_LENGTH).toWellFormed() };
  return {
    events: [{ kind: "impossible-reported" }, ...ends.map(({ one, outcome }) => toEnded(one, outcome))],
    keep: [...ends.flatMap(({ one: { id }, ...how }) => keepEnd({ id, session, by: null, ...how })), words],
    value: undefined,
  };
}

/** The tool's result for the model. */
export interface ReportedImpossible {
  readonly acknowledged: true;
  readonly reason: string;
}

/** The tool as models see it. It needs no permission and no approval. */
export const REPORT_IMPOSSIBLE = Object.freeze({
  name: "report_impossible",
  description:
    "Say that the task can't be done, and why: for instance since a person has refused a call that it needs. Ends what you asked for and nobody has answered yet.",
  inputSchema: Object.freeze({
    type: "object",
    properties: { reason: { type: "string", description: "Why the task can't be done." } },
    required: ["reason"],
  } satisfies JsonObject),
});

/** Runs `report_impossible` in a session, for hosts that offer it as a tool. */
export async function report_impossible(
  session: Session,
  { reason }: { readonly reason: string },
): Promise<ReportedImpossible> {
  await session.reportImpossible(reason);
  return { acknowledged: true, reason };
}
