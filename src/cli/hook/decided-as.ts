/** Which tool of a policy a call of a coding agent is decided as. */
import { type FileCall, fileCallOf } from "../../adapters/claude-code/file-call.ts";
import type { HookEvent } from "../../adapters/claude-code/hook-event.ts";
import { lookUp, type Policy, WORKSPACE_SERVER } from "../../core/index.ts";

/** The tool, and what is to be examined where it works on files. */
export interface DecidedAs {
  /** A name or an identity that means the tool. */
  readonly tool: string;
  readonly file: FileCall | null;
}

/** What later versions of the agent call a tool that policies know by an older name. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([["Agent", "Task"]]);

/** Null where the policy says nothing of the tool. */
export function decidedAs(policy: Policy, event: HookEvent): DecidedAs | null {
  const older = OLDER_NAMES.get(event.tool);
  return named(policy, event, event.tool) ?? (older === undefined ? null : named(policy, event, older));
}

function named(policy: Policy, event: HookEvent, name: string): DecidedAs | null {
  const { tool, candidates } = lookUp(policy, name);
  // Several tools that it could mean: that is said by the decision.
  if (candidates.length > 1) return { tool: name, file: null };
  // THREAT: a server of the agent's may be called as it likes, `workspace` too, and a tool of the agent's own may be
  // called as a server's is for short. Each means what it says in full.
  if (name.startsWith("mcp__")) {
    const isMeant = tool !== null && tool.id === name && tool.server !== WORKSPACE_SERVER;
    return isMeant ? { tool: name, file: null } : null;
  }
  if (tool?.server === null) return { tool: name, file: null };
  const file = fileCallOf(event);
  if (file === null) return null;
  const decided = tool === null ? lookUp(policy, file.tool).tool : tool;
  const isFile =
    decided?.server === WORKSPACE_SERVER && decided.id === `mcp__${WORKSPACE_SERVER}__${file.tool}`;
  return isFile ? { tool: decided.id, file } : null;
}
