/**
 * One label for a session and the forks that its agent uses. The first session holds it: a fork takes it before each
 * decision, and raises it by the very append that raises the fork. Both are what a ledger writes; here it is said what.
 */
import { join, type Label, type SessionEvent, type SessionState } from "../../core/index.ts";

/** In place of a data set: the label came from another session of the family. */
const SHARED = "shared";

/** What raises a session to a label; nothing if it covers it already. */
export function raiseTo({ lattice, label: before }: SessionState, source: Label): readonly SessionEvent[] {
  const label = join(lattice, before, source);
  if (label === before) return [];
  return [{ kind: "label-raised", call: null, step: null, tool: null, source, dataset: SHARED, label }];
}

/** What a fork takes over from the session that holds its label: the label, what the user has said since, and that an operator has closed it. */
export function takenFrom(holder: SessionState, fork: SessionState): readonly SessionEvent[] {
  const said = holder.words.utterances.slice(fork.words.utterances.length);
  const words = said.length > 0 ? [{ kind: "words-said", utterances: said } as const] : [];
  const raised = [...raiseTo(fork, holder.label), ...words];
  if (!holder.closed || fork.closed || fork.shares === null) return raised;
  return [...raised, { kind: "session-closed", reason: "reset", successor: fork.shares }];
}
