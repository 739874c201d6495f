/** The condition of a policy because of which a person would be asked about a call. */
import type { Call, Decision } from "../../core/index.ts";

export interface AskingCondition {
  /** As it stands in the policy. */
  readonly when: string;
  /** Null where it can't be determined: from these arguments, or because none are given. */
  readonly holds: true | null;
}

/** Null where no condition has its say. */
export function askingCondition(call: Call, { tool, reasons }: Decision): AskingCondition | null {
  if (tool === null || typeof tool.approval !== "object") return null;
  const causes = reasons.map((reason) => (reason.code === "approval-required" ? reason.because : null));
  const isUnclear = causes.includes("condition-unclear");
  if (!isUnclear && !causes.includes("condition")) return null;
  return { when: tool.approval.when, holds: isUnclear || call.arguments === undefined ? null : true };
}
