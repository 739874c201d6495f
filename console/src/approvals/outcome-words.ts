/** The words of an outcome, the same as in the terminal, and of the queue's changes. */

import type { Approval } from "../api/queries.ts";
import { toVisibleLine } from "../text/visible-line.ts";
import type { News, Outcome, Slot } from "./approval-queue.ts";

const DONE: Readonly<Record<Outcome["status"], string>> = {
  approved: "Approved",
  denied: "Denied",
  expired: "Expired, since nobody answered in time",
  cancelled: "Cancelled, since its agent, its session or its policy is gone",
};

const VIA: ReadonlyMap<string, string> = new Map([
  ["console", "in the console"],
  ["terminal", "in a terminal"],
  ["client", "in the agent's own client"],
]);

/** The channel; empty if it isn't known. */
export const wordWay = (via: string | null): string =>
  via === null ? "" : `, ${VIA.get(via) ?? `via ${via}`}`;

/** The words before and after the name of who answered. */
export function outcomeWords({ status, answered_by: by, via }: Outcome): {
  readonly done: string;
  readonly by: string | null;
  readonly way: string;
} {
  if (by === null) return { done: DONE[status], by, way: "" };
  return { done: `${DONE[status]} by `, by, way: wordWay(via) };
}

const MAX_NAMED = 3;

/**
 * Changes of the queue as a sentence or two, for a screen reader; empty if there is nothing to say. THREAT: strangers
 * choose every name in them.
 */
export const newsWords = ({ asked, ended }: News): string =>
  [...ended.slice(0, MAX_NAMED).map(endedWords), askedWords(asked)].filter(Boolean).join(" ");

const nameOf = ({ facts, tool }: Approval): string => facts?.name ?? tool;

function askedWords(asked: News["asked"]): string {
  const [first] = asked;
  if (first === undefined) return "";
  if (asked.length === 1)
    return `${toVisibleLine(nameOf(first))} waits for an answer, for ${toVisibleLine(first.principal)}.`;
  const named = asked.slice(0, MAX_NAMED).map((approval) => toVisibleLine(nameOf(approval)));
  const more = asked.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""} wait for an answer.`;
}

function endedWords({ approval, outcome }: Slot): string {
  if (outcome === null) return "";
  const { done, by, way } = outcomeWords(outcome);
  return `${toVisibleLine(nameOf(approval))}: ${done}${by === null ? "" : toVisibleLine(by)}${toVisibleLine(way)}.`;
}
