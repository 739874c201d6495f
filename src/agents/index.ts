/** Agents over the gate: the planner, and tool sets for the roles of coding agents. */
export {
  assertKnownTools,
  BUILTIN_TOOLS,
  createToolSet,
  FIXER_TOOLS,
  GENERATOR_TOOLS,
  IMPLEMENTER_TOOLS,
  InvalidToolError,
  ISSUE_FIXER_TOOLS,
  REVIEWER_TOOLS,
  type ToolSet,
} from "../core/index.ts";
export { examineCalls } from "../runtime/index.ts";
export type { ModelSettings } from "./ask-model.ts";
export type { PlanQuestions } from "./plan-step.ts";
export {
  createPlanner,
  type Planner,
  type PlannerOptions,
  type PlannerResumeOptions,
  type PlannerRunOptions,
  type PromptContext,
} from "./planner.ts";
export type { CallOutcome, PlannerCall, PlannerResult, PlannerStep, StopReason } from "./planner-result.ts";
export type { PlannerTools } from "./planner-tools.ts";
export { checkRoleAgent, type RoleDisagreement } from "./roles/check-role-agent.ts";
export {
  CodeReviewerAgent,
  type CodeReviewerContext,
  type CodeReviewerResult,
  type Finding,
  type Severity,
} from "./roles/code-reviewer-agent.ts";
export { FixerAgent, type FixerContext, type FixerResult } from "./roles/fixer-agent.ts";
export { GeneratorAgent, type GeneratorContext } from "./roles/generator-agent.ts";
export {
  ImplementerAgent,
  type ImplementerContext,
  IssueFixerAgent,
  type IssueFixerContext,
} from "./roles/implementer-agent.ts";
export {
  type Brief,
  RoleAgent,
  type RoleDefinition,
  type RoleRun,
  type RoleRunOptions,
} from "./roles/role-agent.ts";
export type { RoleAgentOptions } from "./roles/role-host.ts";
export type { RefusedCall, RolePause, RoleResult, RoleStatus } from "./roles/role-result.ts";
