/** What an agent can do after a refusal: change the call, wait for a person, or continue without it. */
import { effectOfReason, type Reason, type ReasonCode } from "./reason.ts";

/** From the mildest to the strictest. */
export const REFUSAL_CLASSES = Object.freeze(["retry", "person", "never"] as const);

/**
 * `retry`: the call may run after a change, or later; `person`: a person must approve; `never`: it doesn't run in
 * this session.
 */
export type RefusalClass = (typeof REFUSAL_CLASSES)[number];

export const CLASS_OF: Readonly<Record<ReasonCode, RefusalClass>> = Object.freeze({
  frozen: "person",
  "session-closed": "never",
  "unknown-tool": "never",
  "ambiguous-tool": "retry",
  "unclassified-tool": "never",
  "definition-changed": "person",
  "denied-by-policy": "never",
  "denied-by-rule": "retry",
  "rule-asks": "person",
  "missing-tag": "never",
  "not-in-tool-set": "never",
  hidden: "never",
  "permission-missing": "never",
  "flow-blocked": "never",
  "protected-path": "retry",
  "not-endorsed": "person",
  "approval-required": "person",
  "approval-denied": "never",
  "approval-expired": "person",
  "unknown-argument": "retry",
  "sign-in-needed": "person",
  fault: "retry",
});

/** The strictest class of these reasons; null if there is none. If one denies, reasons that ask don't count. */
export function refusalClass(reasons: readonly Reason[]): RefusalClass | null {
  const denying = reasons.filter((reason) => effectOfReason(reason) === "deny");
  const classes = new Set((denying.length > 0 ? denying : reasons).map(classOf));
  return REFUSAL_CLASSES.findLast((one) => classes.has(one)) ?? null;
}

function classOf(reason: Reason): RefusalClass {
  if (reason.code !== "flow-blocked") return CLASS_OF[reason.code];
  if (effectOfReason(reason) === "ask") return "person";
  return reason.byArguments ? "retry" : CLASS_OF[reason.code];
}
