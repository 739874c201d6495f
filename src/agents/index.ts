/** Tool sets for the roles of coding agents. */
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
