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
export type { ModelSettings } from "./ask-model.ts";
export { examineCalls } from "./examine-calls.ts";
export {
  createPlanner,
  type Planner,
  type PlannerOptions,
  type PlannerResumeOptions,
  type PlannerRunOptions,
  type Told,
} from "./planner.ts";
export type { CallOutcome, PlannerCall, PlannerResult, PlannerStep, StopReason } from "./planner-result.ts";
export type { PlannerTools } from "./planner-tools.ts";
