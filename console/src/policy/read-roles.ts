/** What roles have and what they don't. */
import type { Schema } from "../api/client.ts";

type Policy = Schema<"Policy">;
export type Role = Policy["roles"][number];

export interface RoleTools {
  readonly role: Role;
  /** Identities, in the policy's order. */
  readonly has: readonly string[];
  readonly lacks: readonly string[];
}

/** Each role's tools among those that anybody could have. */
export function readRoles({ roles, tools }: Pick<Policy, "roles" | "tools">): readonly RoleTools[] {
  return roles.map((role) => {
    const own = new Set(role.tools);
    const known = tools.map(({ tool }) => tool);
    const others = role.tools.filter((tool) => !known.includes(tool));
    return {
      role,
      has: [...known.filter((tool) => own.has(tool)), ...others],
      lacks: known.filter((tool) => !own.has(tool)),
    };
  });
}

/** More than these can't be taken in at a glance. */
const [MAX_ROLES, MAX_TOOLS] = [8, 60];

/** The tools that some role has, for a table with a column for each role; null where that would be too large. */
export function toolsOfRoles(roles: readonly RoleTools[]): readonly string[] | null {
  const tools = [...new Set(roles.flatMap(({ has }) => has))];
  return roles.length === 0 || roles.length > MAX_ROLES || tools.length > MAX_TOOLS ? null : tools;
}
