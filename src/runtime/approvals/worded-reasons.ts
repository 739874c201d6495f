/** Reasons as a caller gets them: their codes, with the words of the core and what lies behind a blocked flow. */
import {
  effectOfReason,
  explain,
  type NotEndorsed,
  type Policy,
  type Reason,
  type ReasonCode,
} from "../../core/index.ts";
import type { CallDecision } from "../calls/admission.ts";

/** A reason as a caller gets it. */
export interface WordedReason {
  readonly code: ReasonCode;
  /** What happened, why, and the way out; for the model. */
  readonly message: string;
  /** The calls and data sets behind a blocked flow. */
  readonly causedBy?: readonly {
    readonly step: number | null;
    readonly tool: string | null;
    readonly dataset: string;
  }[];
  /** The rule that denies the call or asks. */
  readonly rule?: string;
  /** The argument that isn't the user's word, by its path; null where no single one is meant. */
  readonly argument?: string | null;
  /** Where its value came into the session first; null where that isn't known. */
  readonly firstSeen?: { readonly call: number; readonly tool: string; readonly trust: string } | null;
}

/** What follows from a tool's being unclassified. */
const IMPLIED: ReadonlySet<ReasonCode> = new Set([
  "flow-blocked",
  "permission-missing",
  "rule-asks",
  "approval-required",
]);

/**
 * Reasons in words. A hidden tool looks like one that isn't there, under the name that the caller gave: nothing
 * else is said of it. What nobody has classified has no clearance yet, so the way out of a blocked flow or an approval
 * wouldn't help, and isn't named.
 */
export function wordReasons(
  policy: Policy,
  reasons: readonly Reason[],
  given: string,
): readonly WordedReason[] {
  const hidden = reasons.some(({ code }) => code === "hidden");
  const isUnclassified = reasons.some(({ code }) => code === "unclassified-tool");
  const relevant = isUnclassified ? reasons.filter(({ code }) => !IMPLIED.has(code)) : reasons;
  const told: readonly Reason[] = hidden ? [{ code: "unknown-tool", tool: given }] : relevant;
  const denied = told.some((reason) => effectOfReason(reason) === "deny");
  return told.map((reason) => ({
    code: reason.code,
    message: explain(policy.lattice, reason, denied),
    ...(reason.code === "flow-blocked" && {
      causedBy: reason.causes.map(({ step, tool, dataset }) => ({ step, tool, dataset })),
    }),
    ...("rule" in reason && { rule: reason.rule }),
    ...(reason.code === "not-endorsed" && {
      argument: reason.argument,
      firstSeen: reason.firstSeen && toFirstSeen(reason.firstSeen),
    }),
  }));
}

/** Calls are counted from 1, as in the sentences. */
const toFirstSeen = ({ step, tool, trust }: NonNullable<NotEndorsed["firstSeen"]>) => ({
  call: step + 1,
  tool,
  trust,
});

/** Why a call was not run, and the approval that it waits for: the whole text that a model reads. */
export function describeRefusal({ reasons, approval }: Pick<CallDecision, "reasons" | "approval">): string {
  const text = reasons.map(({ message }) => message).join("\n");
  return approval === null ? text : `${text} The approval is ${approval.id}; nothing was run.`;
}
