/** Reasons as a caller gets them: codes, sentences, and the calls and data sets behind a blocked flow. */
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
  /** What happened, why, and how to continue; for the model. */
  readonly message: string;
  /** The calls and data sets behind a blocked flow. */
  readonly causedBy?: readonly {
    readonly step: number | null;
    readonly tool: string | null;
    readonly dataset: string;
  }[];
  /** The rule that denies the call or requires approval. */
  readonly rule?: string;
  /** The path of the argument that isn't the user's word; null if no single one is meant. */
  readonly argument?: string | null;
  /** The call that first brought the value into the session; null if unknown. */
  readonly firstSeen?: { readonly call: number; readonly tool: string; readonly trust: string } | null;
}

/** Reasons that follow from the tool being unclassified. */
const IMPLIED: ReadonlySet<ReasonCode> = new Set([
  "flow-blocked",
  "permission-missing",
  "rule-asks",
  "approval-required",
]);

/**
 * The reasons that a caller gets. A hidden tool is reported as nonexistent, under the name that the caller used, and
 * nothing else. For an unclassified tool, a blocked flow and an approval aren't reported, since solving them wouldn't
 * help.
 */
function toldReasons(reasons: readonly Reason[], given: string): readonly Reason[] {
  if (reasons.some(({ code }) => code === "hidden")) return [{ code: "unknown-tool", tool: given }];
  const isUnclassified = reasons.some(({ code }) => code === "unclassified-tool");
  return isUnclassified ? reasons.filter(({ code }) => !IMPLIED.has(code)) : reasons;
}

/** What the caller can do about these reasons; null if there are none. */
export const classOfRefusal = (reasons: readonly Reason[], given: string): RefusalClass | null =>
  refusalClass(toldReasons(reasons, given));

/** The reported reasons, as sentences. */
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

/** In sentences, calls are counted from 1. */
const toFirstSeen = ({ step, tool, trust }: NonNullable<NotEndorsed["firstSeen"]>) => ({
  call: step + 1,
  tool,
  trust,
});

/** Why a call didn't run, and the approval that it waits for: the whole text for the model. */
export function describeRefusal({
  reasons,
  repeated,
  approval,
}: Pick<CallDecision, "reasons" | "repeated" | "approval">): string {
  if (repeated !== undefined) return repeated;
  const text = reasons.map(({ message }) => message).join("\n");
  return approval === null ? text : `${text} The approval is ${approval.id}; nothing was run.`;
}

/** Why approval is needed, each cause once. An answer is bound to these. */
export function causesAsked(reasons: readonly Reason[]): readonly string[] {
  const causes = reasons.flatMap((reason) => (reason.code === "approval-required" ? reason.because : []));
  const rules = reasons.flatMap((reason) => (reason.code === "rule-asks" ? `rule: ${reason.rule}` : []));
  return [...new Set([...causes, ...rules])].sort();
}

/** Whether the call needs approval because an argument contains a credential. */
export const hasCredential = ({ reasons }: { readonly reasons: readonly Reason[] }): boolean =>
  reasons.some((reason) => reason.code === "not-endorsed" && reason.problem === "credential");
