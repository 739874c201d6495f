/** What an agent does that can't go on, as after a person's no: it says so, and what waits of it is cancelled. */
import { type SessionState, waitingAt } from "../../core/index.ts";
import { keepEnd } from "../approvals/kept-approvals.ts";
import { toEnded } from "../approvals/request-approval.ts";
import type { Proposal } from "../journal/ledger.ts";
import type { JsonObject } from "../ports/provider.ts";
import type { Session } from "../session.ts";

/** The agent's own words, beside the journal: they may hold what the session has read. */
export const IMPOSSIBLE_KEY = "impossible";

/** Characters of a reason that are kept. */
export const MAX_REASON_LENGTH = 4096;

/** Writes that a task can't be done, and ends what waits for a person in its session. */
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
  // Cut first: a cut may leave half a character.
  const words = { key: IMPOSSIBLE_KEY, value: reason.slice(0, MAX_REASON_LENGTH).toWellFormed() };
  return {
    events: [{ kind: "impossible-reported" }, ...ends.map(({ one, outcome }) => toEnded(one, outcome))],
    keep: [...ends.flatMap(({ one: { id }, ...how }) => keepEnd({ id, session, by: null, ...how })), words],
    value: undefined,
  };
}

/** What the tool gives back to the model. */
export interface ReportedImpossible {
  readonly acknowledged: true;
  readonly reason: string;
}

/** The tool as models are told about it. It needs no permission and waits for nobody. */
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

/** Runs `report_impossible` in a session; for hosts that offer it among their agent's tools. */
export async function report_impossible(
  session: Session,
  { reason }: { readonly reason: string },
): Promise<ReportedImpossible> {
  await session.reportImpossible(reason);
  return { acknowledged: true, reason };
}
