/** The shape of a policy's declaration, for those who write one in code: what the policy file refuses is refused here. */
import { APPROVALS_SHAPE } from "./approval-rules.ts";
import type { PolicyDeclaration, RoleDeclaration, ServerDeclaration } from "./policy.ts";
import { assertShape, listOf, mapOf, matching, oneOf, record, type Shape, text } from "./shape.ts";
import { LABEL_SHAPE, PERMISSION_SHAPE, TOOL_SHAPE } from "./tool.ts";
import { TOOL_POLICY_FIELDS, TOOL_POLICY_SHAPE } from "./tool-policy.ts";

const SERVER_SHAPE = record<ServerDeclaration>({
  source: LABEL_SHAPE,
  sink: listOf(LABEL_SHAPE),
  tools: mapOf(TOOL_SHAPE),
});

const ROLE_SHAPE = record<RoleDeclaration>({
  tools: listOf(text),
  permissions: listOf(PERMISSION_SHAPE),
  approval: mapOf(oneOf("always", "never")),
  ...TOOL_POLICY_FIELDS,
});

const DECLARATION_SHAPE = record<PolicyDeclaration>({
  levels: listOf(text),
  trust: listOf(text),
  categories: listOf(text),
  servers: mapOf(SERVER_SHAPE),
  tools: mapOf(TOOL_SHAPE),
  roles: mapOf(ROLE_SHAPE),
  policy: TOOL_POLICY_SHAPE,
  unclassified: oneOf("withhold", "ask"),
  approvals: APPROVALS_SHAPE,
});

/** A policy that is ready to decide with. */
export const POLICY_SHAPE: Shape = matching(
  "a policy from `loadPolicy` or `definePolicy`",
  (value) => typeof value === "object" && value !== null && "meanings" in value && "origin" in value,
);

/** @throws SluicegateError `policy-invalid` for what would be let through if it were passed over. */
export const assertDeclaration = (declaration: PolicyDeclaration): void =>
  assertShape(DECLARATION_SHAPE, declaration, {
    code: "policy-invalid",
    message: "The policy can't be used.",
    path: "",
  });
