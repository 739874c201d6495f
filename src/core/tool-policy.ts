/**
 * The seed's tool policy: deny list, then allow list, then tags. A policy holds a stack of them, all of which
 * must let a tool pass; so to tighten is to push one, and nothing in the stack can widen another.
 */
import type { ToolNames } from "./names.ts";
import { isPattern, matchesToolId, matchesWildcard } from "./pattern.ts";
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
  if (!isPattern(entry)) return names.resolve(entry).id === tool.id;
  return matchesEntry(entry, tool.id) || matchesEntry(entry, tool.name);
}

const matchesEntry = (entry: string, name: string): boolean =>
  entry.startsWith("mcp__") || name.startsWith("mcp__")
    ? matchesToolId(entry, name)
    : matchesWildcard(entry, name);

/** The first reason in the stack to take a tool away, or null. */
export function removalOf(stack: readonly ToolPolicy[], tool: Tool, names: ToolNames): Removal | null {
  for (const policy of stack) {
    if (policy.deniedTools?.some((entry) => isDenied(entry, tool, names))) return "denied-by-policy";
    if (policy.allowedTools && !policy.allowedTools.some((entry) => isAllowed(entry, tool, names))) {
      return "denied-by-policy";
    }
    if (policy.requireTags?.some((tag) => !tool.tags.includes(tag))) return "missing-tag";
  }
  return null;
}
