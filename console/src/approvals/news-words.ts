/** Changes of the queue as a sentence or two, for a screen reader. THREAT: strangers choose every name in them. */
import type { Approval } from "../api/queries.ts";
import { toVisibleLine } from "../text/visible-line.ts";
import type { News, Slot } from "./approval-queue.ts";
import { outcomeWords } from "./outcome-words.ts";

const MAX_NAMED = 3;

/** Empty if there is nothing to say. */
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
