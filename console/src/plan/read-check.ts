/** The gateway's check of a plan for the bench: step by step, and as a whole. */
import type { Schema } from "../api/client.ts";
import { hasOrder, type Step } from "./steps.ts";

type Answer = Schema<"PlanAnswer">;
type Label = Schema<"Label">;

export interface StepCheck {
  readonly effect: "allow" | "ask" | "deny";
  /** The session's label after it, if it raises the label. */
  readonly raisesTo: Label | null;
  /** Its arguments aren't known, so the worst case is shown. */
  readonly isWorst: boolean;
  /** The names of the tools that it would block. */
  readonly shut: readonly string[];
  /** Why it would be denied, or needs approval. */
  readonly reasons: readonly string[];
  readonly suggestions: readonly string[];
}

/** By the step's id. */
export type StepChecks = ReadonlyMap<number, StepCheck>;

export function readChecks(steps: readonly Step[], answer: Answer): StepChecks {
  return new Map(
    steps.flatMap(({ id }, at) => {
      const played = answer.steps[at];
      return played ? [[id, readStep(answer, played, at)] as const] : [];
    }),
  );
}

function readStep(answer: Answer, played: Answer["steps"][number], at: number): StepCheck {
  const violations = answer.violations.filter(({ at_step }) => at_step === at);
  const asks = answer.approvals.filter(({ at_step }) => at_step === at);
  return {
    effect: played.effect,
    raisesTo: played.raises === null ? null : played.label,
    isWorst: played.depends_on_arguments,
    shut: played.shut,
    reasons: [...violations, ...asks].map(({ reason }) => countFromOne(reason)),
    suggestions: violations.filter(saysMore).map(({ suggestion }) => countFromOne(suggestion)),
  };
}

/** Some reasons end with a suggestion. */
const saysMore = ({ reason, suggestion }: Answer["violations"][number]): boolean =>
  !reason.toLowerCase().includes(suggestion.toLowerCase());

/** Steps count from 0 on the wire and from 1 on the page. */
export const countFromOne = (reason: string): string =>
  reason.replace(/(?<=`) \(step (\d{1,6})\)/g, (_, step: string) => ` (step ${Number(step) + 1})`);

export type Verdict = "Safe" | "Not safe" | "No safe order";

export const verdictOf = ({ valid, safe_ordering }: Answer): Verdict =>
  valid ? "Safe" : safe_ordering === null ? "No safe order" : "Not safe";

/** The safe order if it differs from the present one; otherwise null. */
export function orderToTake(
  steps: readonly Step[],
  { safe_ordering }: Pick<Answer, "safe_ordering">,
): readonly string[] | null {
  if (safe_ordering === null || safe_ordering === "undetermined" || hasOrder(steps, safe_ordering))
    return null;
  // INVARIANT: it is an order of exactly these steps; an answer for another plan is ignored.
  const isTheirs = hasOrder(
    steps.toSorted((one, other) => compare(one.tool, other.tool)),
    safe_ordering.toSorted(compare),
  );
  return isTheirs ? safe_ordering : null;
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
