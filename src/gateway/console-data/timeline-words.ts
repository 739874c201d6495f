/** The sentences of a timeline's notes about changes of a session other than calls. For people. */
import { describeLabel, quoteName, type SessionEvent } from "../../core/index.ts";
import type { FoldedNote, NotedEvent } from "./timeline-fold.ts";

/** What happened, in a sentence or two. `shown` returns a tool's name by its identity. */
export function wordNote({ seq, event, before, after }: FoldedNote, shown: (id: string) => string): string {
  if (event === null)
    return `Entry ${seq} can't be read, so the session counts as holding data that nobody has classified.`;
  const told = wordEvent(event, shown);
  return event.kind === "label-raised" && before === after
    ? `${told} The session held as much already.`
    : told;
}

/** For a call whose entry is invalid. */
export const wordUnreadableCall = (seq: number): string =>
  `Entry ${seq} decides a call, and its reasons can't be read.`;

function wordEvent(event: NotedEvent, shown: (id: string) => string): string {
  switch (event.kind) {
    case "session-opened":
      return wordOpened(event);
    case "words-said":
      return "The user's own words were added. What they name is the user's word.";
    case "label-raised":
      return wordRaised(event, shown);
    case "impossible-reported":
      return "The agent said that its task can't be done.";
    case "refusal-appealed":
      return `The agent appealed the refusal of ${quoteName(shown(event.tool))}.`;
    case "session-closed":
      return wordClosed(event);
  }
}

function wordClosed(event: Extract<SessionEvent, { kind: "session-closed" }>): string {
  switch (event.reason) {
    case "archived":
      return "The session was archived.";
    case "restored":
      return "The session was ended, since its store was restored from a backup.";
    case "reset":
      return `The session was reset. ${quoteName(event.successor)} goes on in its place.`;
  }
}

function wordOpened(event: Extract<SessionEvent, { kind: "session-opened" }>): string {
  const { principal, role, tools, parent } = event;
  const as = role === null ? "without a role" : `in the role ${quoteName(role)}`;
  const few = tools === null ? "" : `, narrowed to ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const from = parent === undefined ? "" : `, as a fork of ${quoteName(parent)}`;
  return `The session was opened for ${quoteName(principal)}, ${as}${few}${from}.`;
}

function wordRaised(
  {
    call,
    step,
    tool,
    source,
    dataset,
    reported,
    findings = [],
  }: Extract<SessionEvent, { kind: "label-raised" }>,
  shown: (id: string) => string,
): string {
  const kinds = [...new Set(findings.map(({ kind }) => kind))];
  const found = kinds.length === 0 ? "" : ` (${kinds.map(quoteName).join(", ")})`;
  const data = `${describeLabel(source)} of the data set ${quoteName(dataset)}${found}`;
  if (call === null) return reported ? `The agent reported ${data}.` : `The host added ${data}.`;
  const by = tool === null ? "A call" : quoteName(shown(tool));
  const which = step === null ? "" : ` (call ${step + 1})`;
  return `${by}${which} was ${reported ? "reported by the agent" : "found"} to bring in ${data}.`;
}
