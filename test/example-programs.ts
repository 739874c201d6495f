/** The example programs that the documentation shows, each of which runs by itself and ends with `ok`. */

/** The seed's ways to use a planner. */
export const PATTERNS = [
  "examples/planner/server.ts",
  "examples/planner/fork-per-request.ts",
  "examples/planner/command-line.ts",
];
export const GUIDES = ["examples/guides/dynamic-permissions.ts", "examples/guides/private-data.ts"];
export const PROGRAMS = [
  ...PATTERNS,
  ...GUIDES,
  "examples/planner/approval.ts",
  "examples/agents/fixer.ts",
  "examples/library/main.ts",
  "examples/library/visibility.ts",
  "examples/library/detectors.ts",
  "examples/library/workspace.ts",
  "examples/library/database.ts",
  "examples/adapters/ai-sdk.ts",
  "examples/adapters/openai-agents.ts",
  "examples/adapters/langchain.ts",
  "examples/adapters/mcp-client.ts",
  "examples/adapters/functions.ts",
];
