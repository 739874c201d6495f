/** Tools' definitions, those that wait for a person's look first. */
import type { Schema } from "../api/client.ts";

export type ToolReview = Schema<"ToolReview">;

const ORDER: readonly ToolReview["status"][] = ["changed", "unclassified", "missing"];

export interface Pins {
  /** With something to read: a difference, a problem, a doubt. */
  readonly waiting: readonly ToolReview[];
  /** Not in use, and nothing more to say of it. */
  readonly idle: readonly ToolReview[];
  readonly pinned: readonly ToolReview[];
}

/** A pinned tool waits as well where something is wrong with it, or its server says more than is declared. */
export function sortPins(tools: readonly ToolReview[]): Pins {
  const waits = ({ status, problem, doubt }: ToolReview): boolean =>
    status === "changed" || problem !== null || doubt !== null;
  const rankOf = ({ status }: ToolReview): number => {
    const rank = ORDER.indexOf(status);
    // What is in use and doubted comes before what nobody can use.
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
