/** What a check is, and what can come out of it. */
import type { Arena } from "./arena.ts";
import type { Era } from "./wire.ts";

export type Verdict = "held" | "bypassed" | "not-applicable" | "undecided";

export interface Outcome {
  readonly verdict: Verdict;
  /** What was seen; empty for a check that held. */
  readonly detail: string;
}

export interface Check {
  readonly id: string;
  /** What a gateway must do. */
  readonly must: string;
  /** How it is attacked. */
  readonly attack: string;
  /** The eras in which the attack can be made; both where left out. */
  readonly eras?: readonly Era[];
  /** Whether it needs sessions with ids and tokens of their own. */
  readonly needsSessions?: true;
  /** Whether one run of it attacks in every era that the gateway speaks. */
  readonly coversEras?: true;
  /** Whether it listens to nothing, holds nothing and changes no server, so that others like it may run meanwhile. */
  readonly runsBesideOthers?: true;
  run(arena: Arena): Promise<Outcome>;
}

export const HELD: Outcome = Object.freeze({ verdict: "held", detail: "" });
export const bypassed = (evidence: string): Outcome => ({ verdict: "bypassed", detail: evidence });
export const notApplicable = (why: string): Outcome => ({ verdict: "not-applicable", detail: why });

const RANK: readonly Verdict[] = ["bypassed", "undecided", "held", "not-applicable"];

/** The worst that came out, with what was seen then. */
export function worst(outcomes: readonly Outcome[]): Outcome {
  const sorted = outcomes.toSorted((left, right) => RANK.indexOf(left.verdict) - RANK.indexOf(right.verdict));
  return sorted[0] ?? notApplicable("the gateway speaks none of the revisions in which it can be tried");
}
