/** The shape of a policy's declaration, for those who write one in code: what the policy file refuses is refused here. */

import type { GroupDeclaration } from "../endorsement/endorsement-rules.ts";
import { EVIDENCE_KINDS } from "../endorsement/user-word.ts";
import type { Lattice } from "../label/label.ts";
import { LABEL_SHAPE, labelShapeOf, PERMISSION_SHAPE, toolShape } from "../tools/tool.ts";
import { TOOL_POLICY_FIELDS, TOOL_POLICY_SHAPE } from "../tools/tool-policy.ts";
import { APPROVALS_SHAPE } from "./approval-rules.ts";
import type { PolicyDeclaration, RoleDeclaration, ServerDeclaration } from "./policy.ts";
import { RULE_SHAPE } from "./rules.ts";
import { assertShape, listOf, mapOf, matching, oneOf, record, type Shape, text } from "./shape.ts";

const roleShape = (label: Shape): Shape =>
  record<RoleDeclaration>({
    tools: listOf(text),
    permissions: listOf(PERMISSION_SHAPE),
    approval: mapOf(oneOf("always", "never")),
    clearance: listOf(label),
    ...TOOL_POLICY_FIELDS,
  });

/** A declaration whose labels have this shape. */
const declarationShape = (label: Shape, level: Shape = text): Shape =>
  record<PolicyDeclaration>({
    levels: listOf(text),
    trust: listOf(text),
    categories: listOf(text),
    servers: mapOf(
      record<ServerDeclaration>({ source: label, sink: listOf(label), tools: mapOf(toolShape(label)) }),
    ),
    tools: mapOf(toolShape(label)),
    roles: mapOf(roleShape(label)),
    policy: TOOL_POLICY_SHAPE,
    unclassified: oneOf("withhold", "ask"),
    approvals: APPROVALS_SHAPE,
    rules: listOf(RULE_SHAPE),
    endorsement: oneOf("strict", "declared"),
    named: level,
    evidence: listOf(oneOf(...EVIDENCE_KINDS)),
    groups: mapOf(record<GroupDeclaration>({ members: listOf(text), tool: text, items: text })),
    recipients: mapOf(label),
    readers: mapOf(listOf(text)),
  });

const DECLARATION_SHAPE = declarationShape(LABEL_SHAPE);

/** A policy that is ready to decide with. */
export const POLICY_SHAPE: Shape = matching(
  "a policy from `loadPolicy` or `definePolicy`",
  (value) => typeof value === "object" && value !== null && "meanings" in value && "origin" in value,
);

const UNUSABLE = { code: "policy-invalid", message: "The policy can't be used.", path: "" } as const;

/** @throws SluicegateError `policy-invalid` for what would be let through if it were passed over. */
export const assertDeclaration = (declaration: PolicyDeclaration): void =>
  assertShape(DECLARATION_SHAPE, declaration, UNUSABLE);

/** @throws SluicegateError `policy-invalid` for a label that names no level or trust of the declaration's own. */
export const assertLabels = (lattice: Lattice, declaration: PolicyDeclaration): void =>
  assertShape(declarationShape(labelShapeOf(lattice), oneOf(...lattice.levels)), declaration, UNUSABLE);
