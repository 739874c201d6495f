/** What names mean under a policy, and why a tool is not to be had. */
import { classifyByPattern, isConfigured } from "./declared-tools.ts";
import type { LookUp, Policy, Role, RoleRemoval } from "./policy.ts";
import { roleRemovalsOf } from "./roles.ts";
import { defineTool, parseToolId, type Tool } from "./tool.ts";
import { removalsOf } from "./tool-policy.ts";

const NONE: readonly never[] = Object.freeze([]);
const UNKNOWN: LookUp = Object.freeze({ tool: null, candidates: NONE });

/**
 * The tool that a name means. A name that nothing declares may still match a pattern: one of the agent's own
 * tools, or a tool of a server whose list isn't known.
 */
export function lookUp(policy: Policy, name: string): LookUp {
  const known = policy.meanings.get(name);
  if (known !== undefined) return known;
  const method = policy.methods.get(name);
  if (method !== undefined) return { tool: method, candidates: NONE };
  const { declaration, offered } = policy.origin;
  const { server } = parseToolId(name);
  const prefix = name.slice(0, Math.max(0, name.indexOf("__")));
  if (server === null && isConfigured(declaration, prefix)) return UNKNOWN;
  const unlisted =
    server === null ? !name.startsWith("mcp__") : isConfigured(declaration, server) && !offered.has(server);
  const found = unlisted ? classifyByPattern(declaration, name) : undefined;
  return { tool: found ? defineTool(policy.lattice, name, name, found) : null, candidates: NONE };
}

/** Why a tool is not to be had in a role (or, with null, by anybody); empty where it is. */
export function removalsFor(policy: Policy, role: Role | null, tool: Tool): readonly RoleRemoval[] {
  const removals = (role ?? policy).removed.get(tool.id);
  if (removals !== undefined) return removals;
  if (policy.tools.has(tool.id)) return NONE;
  const { limits } = policy.origin;
  return role ? roleRemovalsOf(limits, role, tool, policy.names) : removalsOf(limits, tool, policy.names);
}
