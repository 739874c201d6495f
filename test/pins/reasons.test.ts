/** The reason codes with what each does to a call and the check that gives it, as literals: they only grow. */
import { expect, it } from "vitest";
import { CLASS_OF } from "../../src/core/decision/refusal-class.ts";
import {
  CHECK_OF,
  CHECKS,
  EFFECT_OF,
  effectOfReason,
  PATH_CAUSES,
  REFUSAL_CLASSES,
} from "../../src/core/index.ts";

it("lets each reason deny or ask", () => {
  expect(EFFECT_OF).toEqual({
    frozen: "deny",
    "session-closed": "deny",
    "unknown-tool": "deny",
    "ambiguous-tool": "deny",
    "unclassified-tool": "deny",
    "definition-changed": "deny",
    "denied-by-policy": "deny",
    "missing-tag": "deny",
    "not-in-tool-set": "deny",
    hidden: "deny",
    "permission-missing": "deny",
    "denied-by-rule": "deny",
    "rule-asks": "ask",
    "flow-blocked": "deny",
    "protected-path": "deny",
    "approval-required": "ask",
    "approval-denied": "deny",
    "approval-expired": "deny",
    "not-endorsed": "ask",
    "unknown-argument": "deny",
    "sign-in-needed": "deny",
    fault: "deny",
  });
});

it("lets a blocked flow ask only where the policy lets a person release it", () => {
  const label = { level: "internal", categories: [], trust: "trusted" };
  const blocked = { code: "flow-blocked", tool: "post", label, clearances: [], causes: [] } as const;
  expect(effectOfReason(blocked)).toBe("deny");
  expect(effectOfReason({ ...blocked, releasable: true })).toBe("ask");
});

it("leaves an agent this to do after each reason, the strictest last (X24)", () => {
  expect(REFUSAL_CLASSES).toEqual(["retry", "person", "never"]);
  expect(CLASS_OF).toEqual({
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
});

it("lets a provider ask for these causes", () => {
  expect(PATH_CAUSES).toEqual([
    "outside-workspace",
    "ignored-path",
    "git-folder",
    "git-unavailable",
    "not-a-repository",
    "nested-repository",
    "special-file",
    "several-links",
    "protected-name",
    "instruction-file",
    "unclear-path",
  ]);
});

it("makes its checks in this order", () => {
  expect(CHECKS).toEqual([
    "exists",
    "policy",
    "visible",
    "permissions",
    "rules",
    "flow",
    "endorsement",
    "approval",
    "facts",
  ]);
});

it("gives each reason by one check", () => {
  expect(CHECK_OF).toEqual({
    frozen: "facts",
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
    "unknown-argument": "facts",
    "sign-in-needed": "facts",
    fault: "facts",
  });
});

it.each([
  ["effects", EFFECT_OF],
  ["checks of reasons", CHECK_OF],
  ["classes of reasons", CLASS_OF],
  ["checks", CHECKS],
  ["causes of a provider", PATH_CAUSES],
])("can't be given other %s at run time", (_, table) => {
  expect(Object.isFrozen(table)).toBe(true);
});
