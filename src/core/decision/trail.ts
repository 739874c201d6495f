/** Which check of a decision gives which reason, and the whole trail of a decision. */
import type { Tool } from "../tools/tool.ts";
import { effectOfReason, type Reason, type ReasonCode } from "./reason.ts";

/** The checks, in the order in which they are made and reported. */
export const CHECKS = Object.freeze([
  "exists",
  "policy",
  "visible",
  "permissions",
  "rules",
  "flow",
  "endorsement",
  "approval",
  "facts",
] as const);

export type Check = (typeof CHECKS)[number];

export const CHECK_OF: Readonly<Record<ReasonCode, Check>> = Object.freeze({
  "session-closed": "exists",
  "unknown-tool": "exists",
  "ambiguous-tool": "exists",
  "unclassified-tool": "exists",
  "definition-changed": "exists",
  "denied-by-policy": "policy",
  "missing-tag": "policy",
  "not-in-tool-set": "policy",
  hidden: "visible",
  "permission-missing": "permissions",
  "denied-by-rule": "rules",
  "rule-asks": "rules",
  "flow-blocked": "flow",
  "not-endorsed": "endorsement",
  "protected-path": "approval",
  "approval-required": "approval",
  "approval-denied": "approval",
  "approval-expired": "approval",
  frozen: "facts",
  "unknown-argument": "facts",
  "sign-in-needed": "facts",
  fault: "facts",
});

/** One check of a decision's trail. */
export interface TrailEntry {
  readonly check: Check;
  /** `skipped`: there was no tool to check. */
  readonly result: "pass" | "ask" | "deny" | "skipped";
  readonly reasons: readonly Reason[];
}

/** The source of a trail: a decision, or its journal entry. */
interface DecidedCall {
  /** The tool that the name meant; null if it meant none. */
  readonly tool: Pick<Tool, "id"> | null;
  readonly reasons: readonly Reason[];
}

/** The whole trail of a decision: every check with its result. */
export function trailOf(decision: DecidedCall): readonly TrailEntry[] {
  return CHECKS.map((check) => {
    const reasons = decision.reasons.filter(({ code }) => CHECK_OF[code] === check);
    if (reasons.length > 0) return { check, result: reasons.some(denies) ? "deny" : "ask", reasons };
    return { check, result: decision.tool || check === "facts" ? "pass" : "skipped", reasons };
  });
}

/** Whether a reason hides a tool from lists, manifests and prompts. */
export const hidesTool = ({ code }: Reason): boolean => HIDING.has(CHECK_OF[code]);

const HIDING: ReadonlySet<Check> = new Set<Check>(["exists", "policy", "visible", "permissions"]);

export const denies = (reason: Reason): boolean => effectOfReason(reason) === "deny";
