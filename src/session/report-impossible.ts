/** What an agent does that can't go on, as after a person's no: it says so, and what waits of it is cancelled. */
import type { SessionEvent, SessionState } from "../core/index.ts";
import { keepEnd } from "./kept-approvals.ts";
import type { Proposal } from "./ledger.ts";
import type { JsonObject } from "./provider.ts";
import type { Session } from "./session.ts";

/** The agent's own words, beside the journal: they may hold what the session has read. */
export const IMPOSSIBLE_KEY = "impossible";

/** Characters of a reason that are kept. */
export const LONGEST_REASON = 4096;

/** Writes that a task can't be done, and ends what waits for a person in its session. */
export function proposeImpossible(
  session: string,
  { pending }: SessionState,
  reason: string,
  at: string,
): Proposal<void> {
  const cancelled = pending.map(
    ({ id: approval, call, tool }): SessionEvent => ({
      kind: "approval-ended",
      approval,
      call,
      tool,
      outcome: "cancelled",
    }),
  );
  const ends = pending.flatMap(({ id }) => keepEnd({ id, session, outcome: "cancelled", by: null, at }));
  const words = { key: IMPOSSIBLE_KEY, value: reason.toWellFormed().slice(0, LONGEST_REASON) };
  return {
    events: [{ kind: "impossible-reported" }, ...cancelled],
    keep: [...ends, words],
    value: undefined,
  };
}

/** What the tool gives back to the model. */
export interface ReportedImpossible {
  readonly acknowledged: true;
  readonly reason: string;
}

/** The tool as models are told of it. It needs no permission and waits for nobody. */
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
