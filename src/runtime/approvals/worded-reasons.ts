/** Reasons as a caller gets them: their codes, with the words of the core and what lies behind a blocked flow. */
import {
  effectOfReason,
  explain,
  type NotEndorsed,
  type Policy,
  type Reason,
  type ReasonCode,
  type RefusalClass,
  refusalClass,
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
 * The reasons that a caller is told. A hidden tool looks like one that isn't there, under the name that the caller gave:
 * nothing else is said of it. What nobody has classified has no clearance yet, so the way out of a blocked flow or an
 * approval wouldn't help, and isn't named.
 */
function toldReasons(reasons: readonly Reason[], given: string): readonly Reason[] {
  if (reasons.some(({ code }) => code === "hidden")) return [{ code: "unknown-tool", tool: given }];
  const isUnclassified = reasons.some(({ code }) => code === "unclassified-tool");
  return isUnclassified ? reasons.filter(({ code }) => !IMPLIED.has(code)) : reasons;
}

/** What a refused call, or one that asks, leaves its caller to do, by the reasons that it is told; null for no reason. */
export const classOfRefusal = (reasons: readonly Reason[], given: string): RefusalClass | null =>
  refusalClass(toldReasons(reasons, given));

/** The told reasons in words. */
export function wordReasons(
  policy: Policy,
  reasons: readonly Reason[],
  given: string,
): readonly WordedReason[] {
  const told = toldReasons(reasons, given);
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
export function describeRefusal({
  reasons,
  repeated,
  approval,
}: Pick<CallDecision, "reasons" | "repeated" | "approval">): string {
  if (repeated !== undefined) return repeated;
  const text = reasons.map(({ message }) => message).join("\n");
  return approval === null ? text : `${text} The approval is ${approval.id}; nothing was run.`;
}

/** Why a person is asked, each cause once: what an answer was given on. */
export function causesAsked(reasons: readonly Reason[]): readonly string[] {
  const causes = reasons.flatMap((reason) => (reason.code === "approval-required" ? reason.because : []));
  const rules = reasons.flatMap((reason) => (reason.code === "rule-asks" ? `rule: ${reason.rule}` : []));
  return [...new Set([...causes, ...rules])].sort();
}

/** Whether a person is asked since a credential stands in the call. */
export const hasCredential = ({ reasons }: { readonly reasons: readonly Reason[] }): boolean =>
  reasons.some((reason) => reason.code === "not-endorsed" && reason.problem === "credential");
