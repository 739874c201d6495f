/** The pure core: decisions on plain data. No I/O, no clock, no randomness. */
export {
  type ApprovalAnswer,
  type Approvals,
  type Asked,
  answerTo,
  type PendingApproval,
  waitingAt,
} from "./approval.ts";
export {
  APPROVAL_WAYS,
  type ApprovalRules,
  type ApprovalsDeclaration,
  type ApprovalWay,
} from "./approval-rules.ts";
export type { Facts } from "./asking.ts";
export { sourceOfCall } from "./call-source.ts";
export {
  type Call,
  CHECK_OF,
  CHECKS,
  type Check,
  type Decision,
  decide,
  type Effect,
  hidesTool,
  isBlocked,
  isWithin,
  type TrailEntry,
  trailOf,
} from "./decide.ts";
export { POLICY_SHAPE } from "./declaration-shape.ts";
export { classifyByPattern } from "./declared-tools.ts";
export { describeLabel, explain, listNames, quoteName } from "./explain.ts";
export { explainCause } from "./explain-approval.ts";
export { explainWish, type Wish } from "./explain-wish.ts";
export {
  ANY,
  bottomLabel,
  createLabel,
  createLattice,
  DEFAULT_LATTICE,
  flowsTo,
  isKnownLabel,
  isLabelName,
  isPrivate,
  isUntrusted,
  join,
  type Label,
  type Lattice,
  lowestClearance,
  parseLabel,
  sameLabel,
  topLabel,
} from "./label.ts";
export { type LookUp, lookUp, removalsFor, suggestTool } from "./look-up.ts";
export {
  consequencesOf,
  type Held,
  type Manifest,
  type ManifestEntry,
  manifest,
  planningPrompt,
  type Sensitivity,
  sensitivityOf,
  shortConsequence,
} from "./manifest.ts";
export { Meter, withinMeter } from "./meter.ts";
export {
  isForMethods,
  isMethodId,
  isPartOfCall,
  type Method,
  matchesAnyMethod,
  toMethodId,
} from "./methods.ts";
export { namesOf, type ToolNames } from "./names.ts";
export { isMisspelling, nearMiss } from "./near-miss.ts";
export type { OfferedList } from "./offered.ts";
export { isPattern, matchesToolId, matchesWildcard } from "./pattern.ts";
export { checkPlan, type PlanCheck, type PlanViolation } from "./plan.ts";
export type { KnownFacts, PlannedCall } from "./planned-call.ts";
export type { PlanStep } from "./play-plan.ts";
export {
  definePolicy,
  type Policy,
  type PolicyDeclaration,
  type PolicyOptions,
  type Role,
  type RoleDeclaration,
  type ServerDeclaration,
  tighten,
  withAllOffered,
  withOffered,
} from "./policy.ts";
export {
  ASK_CAUSES,
  type AskCause,
  type Cause,
  EFFECT_OF,
  effectOfReason,
  FAULT_CODES,
  type Fault,
  PATH_CAUSES,
  type Reason,
  type ReasonCode,
} from "./reason.ts";
export { approvalInRole, type RoleApprovalDeclaration, toRoleApproval } from "./role-approval.ts";
export * as shape from "./shape.ts";
export {
  apply,
  type Contribution,
  datasetsOf,
  type Finding,
  type HeldDataset,
  holdsPrivateData,
  initialState,
  type PausedRun,
  type SessionEvent,
  type SessionState,
} from "./state.ts";
export {
  type Approval,
  type ApprovalCondition,
  type ConditionFacts,
  dataSetOf,
  defineTool,
  isServerId,
  LABEL_SHAPE,
  type LabelDeclaration,
  PERMISSION_SHAPE,
  PERMISSIONS,
  type Permission,
  parseToolId,
  type Tool,
  type ToolDeclaration,
  type ToolParts,
  toClearance,
  toSource,
  toToolId,
} from "./tool.ts";
export {
  countPatterns,
  fromLimit,
  isLeft,
  type Limit,
  TOOL_POLICY_SHAPE,
  type ToolPolicy,
  toLimit,
} from "./tool-policy.ts";
export {
  assertKnownTools,
  BUILTIN_TOOLS,
  createToolSet,
  FIXER_TOOLS,
  GENERATOR_TOOLS,
  IMPLEMENTER_TOOLS,
  InvalidToolError,
  ISSUE_FIXER_TOOLS,
  type KnownTools,
  REVIEWER_TOOLS,
  type ToolSet,
} from "./tool-set.ts";
export { visibleTools } from "./visible.ts";
export {
  toWorkspaceDeclaration,
  WORKSPACE_SERVER,
  WORKSPACE_TOOLS,
  type WorkspaceDeclaration,
  type WorkspaceToolDeclaration,
  type WorkspaceToolKind,
} from "./workspace-tools.ts";
