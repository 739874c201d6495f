/** Which tool of a policy a call of a coding agent is decided as. */
import { type LookUp, WORKSPACE_SERVER } from "../../core/index.ts";
import { type CalledTool, type FileCall, fileCallOf } from "./file-call.ts";

/** The tool, and what is to be examined where it works on files. */
export interface DecidedAs {
  /** A name or an identity that means the tool. */
  readonly tool: string;
  readonly file: FileCall | null;
}

/** What later versions of the agent call a tool that policies know by an older name. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([["Agent", "Task"]]);

/** What a name means under a policy. */
type Meaning = (name: string) => LookUp;

/** Null if the policy says nothing of the tool. */
export function decidedAs(meaning: Meaning, call: CalledTool): DecidedAs | null {
  if (isSubagentElsewhere(call)) return null;
  const older = OLDER_NAMES.get(call.tool);
  return named(meaning, call, call.tool) ?? (older === undefined ? null : named(meaning, call, older));
}

/** Whether a call starts a subagent. */
export const startsSubagent = ({ tool }: Pick<CalledTool, "tool">): boolean =>
  tool === "Task" || tool === "Agent";

/** What a subagent that stays in its conversation is started with. */
const SUBAGENT_ARGUMENTS: ReadonlySet<string> = new Set([
  ...["description", "prompt", "subagent_type", "name", "model", "effort", "mode"],
  ...["isolation", "max_turns", "resume", "run_in_background"],
]);

/** Whether a subagent is started with something else, such as a folder whose instructions come in with it. */
export const isStartedOtherwise = ({ arguments: args }: Pick<CalledTool, "arguments">): boolean =>
  Object.keys(args).some((name) => !SUBAGENT_ARGUMENTS.has(name));

/**
 * THREAT: a subagent on another machine takes the prompt there, and no call of it is decided here; a member of a team may
 * be a conversation of its own, with a clean label. So one that isn't known to belong to this conversation is a tool
 * that no policy knows.
 */
function isSubagentElsewhere(call: CalledTool): boolean {
  if (!startsSubagent(call)) return false;
  const { isolation, team_name: team } = { isolation: undefined, team_name: undefined, ...call.arguments };
  return team !== undefined || (isolation !== undefined && isolation !== "worktree");
}

function named(meaning: Meaning, call: CalledTool, name: string): DecidedAs | null {
  const { tool, candidates } = meaning(name);
  // Several tools that it could mean: that is said by the decision.
  if (candidates.length > 1) return { tool: name, file: null };
  // THREAT: a server of the agent's may be called as it likes, `workspace` too, and a tool of the agent's own may be
  // called as a server's is for short. Each means what it says in full.
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
