/**
 * The seed's tool policy: deny list, then allow list, then tags. A policy holds a stack of them, all of which
 * must let a tool pass; so to tighten is to push one, and nothing in the stack can widen another.
 */
import type { ToolNames } from "./names.ts";
import { matchesToolId, matchesWildcard } from "./pattern.ts";
import type { Tool } from "./tool.ts";

/** Hard limits on tools, by name, by pattern and by tag. */
export interface ToolPolicy {
  /** Only these. Left out: all; empty: none. */
  readonly allowedTools?: readonly string[];
  readonly deniedTools?: readonly string[];
  /** Tags that a tool must all have. */
  readonly requireTags?: readonly string[];
}

/** Why a tool policy takes a tool away. */
export type Removal = "denied-by-policy" | "missing-tag";

/**
 * A deny entry reaches a tool by every name that anybody could call it, an allow entry only by a name that
 * means this tool and no other.
 */
export function isDenied(entry: string, tool: Tool, names: ToolNames): boolean {
  return names.of(tool.id).some((name) => matchesEntry(entry, name));
}

export function isAllowed(entry: string, tool: Tool, names: ToolNames): boolean {
  return names.of(tool.id).some((name) => names.resolve(name).id === tool.id && matchesEntry(entry, name));
}

const matchesEntry = (entry: string, name: string): boolean =>
  entry.startsWith("mcp__") || name.startsWith("mcp__")
    ? matchesToolId(entry, name)
    : matchesWildcard(entry, name);

/** Why the stack takes a tool away: every reason, in a fixed order, however the stack is ordered. */
export function removalsOf(stack: readonly ToolPolicy[], tool: Tool, names: ToolNames): readonly Removal[] {
  const denied = stack.some(
    ({ deniedTools, allowedTools }) =>
      deniedTools?.some((entry) => isDenied(entry, tool, names)) ||
      allowedTools?.some((entry) => isAllowed(entry, tool, names)) === false,
  );
  const untagged = stack.some(({ requireTags }) => requireTags?.some((tag) => !tool.tags.includes(tag)));
  return [
    ...(denied ? (["denied-by-policy"] as const) : []),
    ...(untagged ? (["missing-tag"] as const) : []),
  ];
}
