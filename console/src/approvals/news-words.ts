/** News of the queue in a sentence or two, for a screen reader. */
import type { Approval } from "../api/queries.ts";
import { toShownParts } from "../text/shown-parts.ts";
import type { News, Slot } from "./deck.ts";
import { outcomeWords } from "./outcome-words.ts";

const MOST_NAMED = 3;
const LONGEST_NAME = 80;

/** THREAT: names are strangers'; what can't be seen in them is told by its code, and they are cut. */
export const heardName = (name: string): string =>
  toShownParts(name.slice(0, LONGEST_NAME).replaceAll("\n", " "))
    .map(({ text }) => text)
    .join("");

/** Empty where there is nothing to say. */
export const newsWords = ({ asked, ended }: News): string =>
  [...ended.slice(0, MOST_NAMED).map(endedWords), askedWords(asked)].filter(Boolean).join(" ");

const nameOf = ({ facts, tool }: Approval): string => facts?.name ?? tool;

function askedWords(asked: News["asked"]): string {
  const [first] = asked;
  if (first === undefined) return "";
  if (asked.length === 1)
    return `${heardName(nameOf(first))} waits for an answer, for ${heardName(first.principal)}.`;
  const named = asked.slice(0, MOST_NAMED).map((approval) => heardName(nameOf(approval)));
  const more = asked.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""} wait for an answer.`;
}

function endedWords({ approval, outcome }: Slot): string {
  if (outcome === null) return "";
  const { done, by, way } = outcomeWords(outcome);
  return `${heardName(nameOf(approval))}: ${done}${by === null ? "" : heardName(by)}${heardName(way)}.`;
}
