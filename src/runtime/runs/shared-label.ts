/**
 * One label for a session and the forks that its agent uses. The first session holds it: a fork adopts it before each
 * decision, and raises it by the same append that raises the fork. The ledger writes both; this file computes what to
 * write.
 */
import { join, type Label, type SessionEvent, type SessionState } from "../../core/index.ts";

/** The name of a data set whose label came from another session of the family. */
const SHARED = "shared";

/** The event that raises a session to a label; none if the session's label covers it already. */
export function raiseTo({ lattice, label: before }: SessionState, source: Label): readonly SessionEvent[] {
  const label = join(lattice, before, source);
  if (label === before) return [];
  return [{ kind: "label-raised", call: null, step: null, tool: null, source, dataset: SHARED, label }];
}

/**
 * The events that a fork adopts from its label holder: the label, the user's new words, and that an operator has
 * closed it.
 */
export function takenFrom(holder: SessionState, fork: SessionState): readonly SessionEvent[] {
  const said = holder.words.utterances.slice(fork.words.utterances.length);
  const words = said.length > 0 ? [{ kind: "words-said", utterances: said } as const] : [];
  const raised = [...raiseTo(fork, holder.label), ...words];
  if (!holder.closed || fork.closed || fork.shares === null) return raised;
  return [...raised, { kind: "session-closed", reason: "reset", successor: fork.shares }];
}
