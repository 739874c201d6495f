/** What a role says of approvals: its word on a tool stands in place of the tool's own. */
import type { ToolNames } from "../tools/names.ts";
import { isPattern } from "../tools/pattern.ts";
import type { Tool } from "../tools/tool.ts";
import { type Entries, isAllowed, isDenied, toEntries } from "../tools/tool-policy.ts";

/** By any name or pattern of tools: whether a person must approve each call. */
export type RoleApprovalDeclaration = Readonly<Record<string, "always" | "never">>;

/** The entries, those with a name before those with a pattern. */
export interface RoleApproval {
  readonly names: Says;
  readonly patterns: Says;
}

interface Says {
  readonly always: Entries;
  readonly never: Entries;
}

/** @throws SluicegateError `policy-invalid` for an entry that could match no tool. */
export function toRoleApproval(declared: RoleApprovalDeclaration | undefined): RoleApproval | null {
  const entries = Object.entries(declared ?? {});
  if (entries.length === 0) return null;
  const saying = (word: string, patterns: boolean): Entries =>
    toEntries(entries.flatMap(([key, says]) => (says === word && isPattern(key) === patterns ? [key] : [])));
  const says = (patterns: boolean): Says =>
    Object.freeze({ always: saying("always", patterns), never: saying("never", patterns) });
  return Object.freeze({ names: says(false), patterns: says(true) });
}

/**
 * What a role says of a tool; null if it says nothing. A name counts before a pattern, and `always` before
 * `never`. `always` reaches a tool by any of its names, `never` only by one that means it and no other.
 */
export function approvalInRole(
  { names, patterns }: RoleApproval,
  tool: Tool,
  known: ToolNames,
): "always" | "never" | null {
  for (const { always, never } of [names, patterns]) {
    if (isDenied(always, tool, known)) return "always";
    if (isAllowed(never, tool, known)) return "never";
  }
  return null;
}
