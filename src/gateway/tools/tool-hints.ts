/**
 * What a server says of its own tools (MCP's tool annotations), as the permissions that each needs by it.
 * THREAT: the server writes them. They only tighten: a tool that a pattern alone declares isn't classified by it where
 * its hints say more, and one that is declared by name makes somebody look.
 */
import { classifyByPattern, type Permission, type Policy, type Tool } from "../../core/index.ts";
import type { OfferedTool } from "../../runtime/index.ts";

/** Hints that are given; one that is left out says nothing, whatever MCP takes for its default. */
export function hintedPermissions({ annotations = {} }: OfferedTool): readonly Permission[] {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  const writes = (readOnlyHint === false || destructiveHint === true) && readOnlyHint !== true;
  return [...(writes ? ["write" as const] : []), ...(openWorldHint === true ? ["connect" as const] : [])];
}

/** A sentence where its server says that a tool does more than the policy declares; null if it doesn't. */
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
