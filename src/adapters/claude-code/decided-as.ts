/** As which tool of a policy a coding agent's call is decided. */
import { type LookUp, WORKSPACE_SERVER } from "../../core/index.ts";
import { type CalledTool, type FileCall, fileCallOf } from "./file-call.ts";

/** The tool, and what to examine if it works on files. */
export interface DecidedAs {
  /** A name or an identity of the tool. */
  readonly tool: string;
  readonly file: FileCall | null;
}

/** Later names of the agent's tools, with the older names that policies use. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([["Agent", "Task"]]);

type Meaning = (name: string) => LookUp;

/** Null if the policy doesn't have the tool. */
export function decidedAs(meaning: Meaning, call: CalledTool): DecidedAs | null {
  if (isSubagentElsewhere(call)) return null;
  const older = OLDER_NAMES.get(call.tool);
  return named(meaning, call, call.tool) ?? (older === undefined ? null : named(meaning, call, older));
}

export const startsSubagent = ({ tool }: Pick<CalledTool, "tool">): boolean =>
  tool === "Task" || tool === "Agent";

/** The arguments of a subagent that stays in its conversation. */
const SUBAGENT_ARGUMENTS: ReadonlySet<string> = new Set([
  ...["description", "prompt", "subagent_type", "name", "model", "effort", "mode"],
  ...["isolation", "max_turns", "resume", "run_in_background"],
]);

/** Whether a subagent has other arguments, such as a folder whose instructions it gets. */
export const isStartedOtherwise = ({ arguments: args }: Pick<CalledTool, "arguments">): boolean =>
  Object.keys(args).some((name) => !SUBAGENT_ARGUMENTS.has(name));

/**
 * THREAT: a subagent on another machine gets the prompt there, and its calls aren't decided here; a member of a team
 * may be a conversation of its own, with a clean label. So unless a subagent certainly belongs to this conversation,
 * its tool counts as unknown.
 */
function isSubagentElsewhere(call: CalledTool): boolean {
  if (!startsSubagent(call)) return false;
  const { isolation, team_name: team } = { isolation: undefined, team_name: undefined, ...call.arguments };
  return team !== undefined || (isolation !== undefined && isolation !== "worktree");
}

function named(meaning: Meaning, call: CalledTool, name: string): DecidedAs | null {
  const { tool, candidates } = meaning(name);
  // The name is ambiguous, which the decision reports.
  if (candidates.length > 1) return { tool: name, file: null };
  // THREAT: the agent's server may have any name, also `workspace`, and a tool of the agent may have the short name
  // of a server's tool. Each counts under its full name.
  if (name.startsWith("mcp__")) {
    const isMeant = tool !== null && tool.id === name && tool.server !== WORKSPACE_SERVER;
    return isMeant ? { tool: name, file: null } : null;
  }
  if (tool?.server === null) return { tool: name, file: null };
  const file = fileCallOf(call);
  if (file === null) return null;
  const decided = tool === null ? meaning(file.tool).tool : tool;
  const isFile =
    decided?.server === WORKSPACE_SERVER && decided.id === `mcp__${WORKSPACE_SERVER}__${file.tool}`;
  return isFile ? { tool: decided.id, file } : null;
}
