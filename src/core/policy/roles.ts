/** Roles ready to decide with: which tools each doesn't have, and why. */
import { ToolRestrictions, type ToolRules } from "../decision/tool-restrictions.ts";
import type { Label, Lattice } from "../label/label.ts";
import { isPartOfCall } from "../tools/methods.ts";
import type { ToolNames } from "../tools/names.ts";
import { isPattern } from "../tools/pattern.ts";
import { type Tool, toClearance } from "../tools/tool.ts";
import {
  type Entries,
  isAllowed,
  isDenied,
  type Limit,
  removalsOf,
  toEntries,
  toLimit,
} from "../tools/tool-policy.ts";
import { assertKnownTools } from "../tools/tool-set.ts";
import { lock } from "./frozen.ts";
import type { PolicyOrigin, Role, RoleDeclaration, RoleRemoval } from "./policy.ts";

/** The roles of a declaration, each with what it takes away. `declared` are the names that its tool sets may use. */
export function buildRoles(
  { declaration, lattice, limits }: PolicyOrigin,
  rules: ToolRules,
  tools: ReadonlyMap<string, Tool>,
  names: ToolNames,
  declared: Iterable<string>,
): ReadonlyMap<string, Role> {
  const known = { servers: Object.keys(declaration.servers ?? {}), declared: [...declared] };
  const roles = new Map<string, Role>();
  for (const [name, role] of Object.entries(declaration.roles ?? {})) {
    if (role.tools) assertKnownTools(role.tools, known);
    if (role.approval) assertKnownTools(Object.keys(role.approval), known);
    const approval = toRoleApproval(role.approval);
    const compiled = {
      approval,
      clearances: clearancesOf(lattice, role),
      limit: limitOf(role),
      tools: role.tools ? toEntries(role.tools) : null,
    };
    const removed = new Map<string, readonly RoleRemoval[]>();
    for (const tool of tools.values()) {
      const removals = roleRemovalsOf(limits, compiled, tool, names);
      if (removals.length > 0) removed.set(tool.id, Object.freeze(removals));
    }
    const { permissions = null } = role;
    const standing = new ToolRestrictions(rules, name, tools, removed);
    roles.set(name, Object.freeze({ name, permissions, ...compiled, removed: lock(removed), standing }));
  }
  return roles;
}

const clearancesOf = (lattice: Lattice, { clearance }: RoleDeclaration): readonly Label[] | null =>
  clearance ? Object.freeze(clearance.map((one) => toClearance(lattice, one))) : null;

function limitOf({ allowedTools, deniedTools, requireTags }: RoleDeclaration): Limit {
  return toLimit({
    ...(allowedTools && { allowedTools }),
    ...(deniedTools && { deniedTools }),
    ...(requireTags && { requireTags }),
  });
}

/** Why a role, or a tool policy over all, takes a tool away; empty if neither does. */
export function roleRemovalsOf(
  limits: readonly Limit[],
  role: Pick<Role, "limit" | "tools">,
  tool: Tool,
  names: ToolNames,
): readonly RoleRemoval[] {
  const removals = removalsOf([...limits, role.limit], tool, names);
  const has = role.tools === null || isPartOfCall(tool.id) || isAllowed(role.tools, tool, names);
  return has ? removals : [...removals, "not-in-tool-set"];
}

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
