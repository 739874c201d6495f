/** The pure core: decisions on plain data. No I/O, no clock, no randomness. What is published of it is in `published.ts`. */
export {
  type ApprovalAnswer,
  type Approvals,
  type Asked,
  answerTo,
  approversOf,
  editOf,
  missingAfter,
  type PendingApproval,
  waitingAt,
} from "./decision/approval.ts";
export { commonRules } from "./decision/common-rules.ts";
export { type Call, type Decision, decide, type Effect, sourceOfCall } from "./decision/decide.ts";
export { type Facts, type Frozen, visibleTools } from "./decision/decision-context.ts";
export { describeLabel, explain, explainClass, explainToApprover } from "./decision/explain.ts";
export { explainCause, explainRepeat } from "./decision/explain-approval.ts";
export { explainPlanWish, explainStanding, explainWish, type Wish } from "./decision/explain-wish.ts";
export { type AnswerDecision, type AnswerReason, decideAnswer } from "./decision/final-answer.ts";
export { isBlocked, isBlockedForGood, isWithin } from "./decision/flow.ts";
export {
  findLeasedStep,
  findPlannedStep,
  type Lease,
  type LeasedStep,
  type LeaseUse,
} from "./decision/lease.ts";
export { normalize } from "./decision/normalize.ts";
export { listNames, quoteName } from "./decision/quote-name.ts";
export {
  ASK_CAUSES,
  type AskCause,
  type Cause,
  EFFECT_OF,
  effectOfReason,
  FAULT_CODES,
  type Fault,
  FREEZE_SCOPES,
  type FreezeScope,
  type NotEndorsed,
  PATH_CAUSES,
  type Reason,
  type ReasonCode,
  type RuleApplies,
} from "./decision/reason.ts";
export { REFUSAL_CLASSES, type RefusalClass, refusalClass } from "./decision/refusal-class.ts";
export {
  type ArgumentRule,
  covers,
  isLike,
  isWaivable,
  ruleProblem,
  STANDING_SCOPES,
  type StandingApproval,
  type StandingCall,
  type StandingScope,
} from "./decision/standing.ts";
export { CHECK_OF, CHECKS, type Check, hidesTool, type TrailEntry, trailOf } from "./decision/trail.ts";
export { valueBehind } from "./endorsement/endorse.ts";
export {
  type EndorsementDeclaration,
  type EndorsementRules,
  type GroupDeclaration,
  hasEffect,
  isAmong,
  isCritical,
  needsEndorsement,
} from "./endorsement/endorsement-rules.ts";
export { isRecipient } from "./endorsement/recipients.ts";
export { isSaid, saidAmong } from "./endorsement/said-values.ts";
export {
  type Appearance,
  type Endorsed,
  EVIDENCE_KINDS,
  type Evidence,
  type EvidenceKind,
  type GivenValue,
  type Utterance,
  type Words,
} from "./endorsement/user-word.ts";
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
} from "./label/label.ts";
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
} from "./plan/manifest.ts";
export { MAX_CONDITION_STEPS, Meter, withinMeter } from "./plan/meter.ts";
export { checkInStages, checkPlan, type PlanCheck, type PlanViolation } from "./plan/plan.ts";
export { type KnownFacts, type PlannedCall, toPlanned } from "./plan/planned-call.ts";
export { type PlanStep, type PlayedStep, playPlan } from "./plan/play-plan.ts";
export {
  APPROVAL_CHANNELS,
  type ApprovalChannel,
  type ApprovalRules,
  type ApprovalsDeclaration,
  MAX_APPROVERS,
} from "./policy/approval-rules.ts";
export { POLICY_SHAPE } from "./policy/declaration-shape.ts";
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
} from "./policy/policy.ts";
export { approvalInRole, type RoleApprovalDeclaration, toRoleApproval } from "./policy/roles.ts";
export { isRuleName, type Rule, type RuleDeclaration } from "./policy/rules.ts";
export * as shape from "./policy/shape.ts";
export { widenings } from "./policy/widenings.ts";
export {
  apply,
  type Contribution,
  datasetsOf,
  type EditedArguments,
  type Finding,
  type HeldDataset,
  holdsPrivateData,
  initialState,
  type PausedRun,
  PLAN,
  type SessionEvent,
  type SessionState,
} from "./state/state.ts";
export type { ApprovalCondition, ConditionFacts } from "./tools/condition.ts";
export { classifyByPattern } from "./tools/declared-tools.ts";
export { type LookUp, lookUp, removalsFor, suggestTool } from "./tools/look-up.ts";
export {
  isForMethods,
  isMethodId,
  isPartOfCall,
  type Method,
  matchesAnyMethod,
  toMethodId,
} from "./tools/methods.ts";
export { namesOf, type ToolNames } from "./tools/names.ts";
export { isMisspelling, nearMiss } from "./tools/near-miss.ts";
export type { OfferedList } from "./tools/offered.ts";
export { isPattern, matchesToolId, matchesWildcard } from "./tools/pattern.ts";
export {
  type Approval,
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
} from "./tools/tool.ts";
export {
  countPatterns,
  fromLimit,
  isLeft,
  type Limit,
  TOOL_POLICY_SHAPE,
  type ToolPolicy,
  toLimit,
} from "./tools/tool-policy.ts";
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
} from "./tools/tool-set.ts";
export {
  toWorkspaceDeclaration,
  WORKSPACE_SERVER,
  WORKSPACE_TOOLS,
  type WorkspaceDeclaration,
  type WorkspaceToolDeclaration,
  type WorkspaceToolKind,
} from "./tools/workspace-tools.ts";
