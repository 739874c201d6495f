/**
 * A server's hints about its own tools (MCP's annotations), as the permissions that each seems to need. THREAT: the
 * server writes them. They only restrict: if they say more than a pattern declares, the tool is unclassified; for a
 * tool declared by name, people are warned.
 */
import { classifyByPattern, type Permission, type Policy, type Tool } from "../../core/index.ts";
import type { OfferedTool } from "../../runtime/index.ts";

/** Only hints that are present count, whatever MCP's defaults are. */
export function hintedPermissions({ annotations = {} }: OfferedTool): readonly Permission[] {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  const writes = (readOnlyHint === false || destructiveHint === true) && readOnlyHint !== true;
  return [...(writes ? ["write" as const] : []), ...(openWorldHint === true ? ["connect" as const] : [])];
}

/** A sentence if the hints say that a tool does more than the policy declares; otherwise null. */
export function doubtOf(policy: Policy, tool: Tool | undefined, offered: OfferedTool): string | null {
  if (tool === undefined) return null;
  const declared = tool.classified ? tool : classifyByPattern(policy.origin.declaration, tool.id);
  const missing = hintedPermissions(offered).filter((needed) => !declared?.permissions.includes(needed));
  if (declared === undefined || missing.length === 0) return null;
  const needs = `By what its server says of it, it needs ${missing.map((name) => `\`${name}\``).join(" and ")}`;
  return tool.classified
    ? `${needs}, which the policy doesn't declare.`
    : `${needs}, which the pattern that matches it doesn't declare. Declare it by its name.`;
}
