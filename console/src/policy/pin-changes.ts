/** Changes of tools' definitions: those that wait for review first, and what differs in a text. */
import type { Schema } from "../api/client.ts";

export type ToolReview = Schema<"ToolReview">;

const ORDER: readonly ToolReview["status"][] = ["changed", "unclassified", "missing"];

interface Pins {
  /** With a difference, a problem or a doubt to read. */
  readonly waiting: readonly ToolReview[];
  /** Not in use, without anything to report. */
  readonly idle: readonly ToolReview[];
  readonly pinned: readonly ToolReview[];
}

/** A pinned tool waits too if it has a problem, or if its server's hints say more than is declared. */
export function sortPins(tools: readonly ToolReview[]): Pins {
  const waits = ({ status, problem, doubt }: ToolReview): boolean =>
    status === "changed" || problem !== null || doubt !== null;
  const rankOf = ({ status }: ToolReview): number => {
    const rank = ORDER.indexOf(status);
    // Tools in use come before those that nobody can use.
    return rank < 0 ? 0.5 : rank;
  };
  return {
    waiting: tools.filter(waits).toSorted((one, other) => rankOf(one) - rankOf(other)),
    idle: tools
      .filter((tool) => !waits(tool) && tool.status !== "pinned")
      .toSorted((one, other) => rankOf(one) - rankOf(other)),
    pinned: tools.filter((tool) => !waits(tool) && tool.status === "pinned"),
  };
}

interface Change {
  readonly head: string;
  readonly before: string;
  readonly after: string;
  readonly tail: string;
}

/** By whole characters, so that none is cut in two. */
export function splitChange(before: string, after: string): Change {
  const [old, now] = [[...before], [...after]];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return {
    head: old.slice(0, head).join(""),
    before: old.slice(head, old.length - tail).join(""),
    after: now.slice(head, now.length - tail).join(""),
    tail: old.slice(old.length - tail).join(""),
  };
}
