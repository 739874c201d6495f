/** The words of an outcome, the same as in the terminal. */
import type { Outcome } from "./approval-queue.ts";

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
