/** What roles have, and what they lack. */
import type { Schema } from "../api/client.ts";

type Policy = Schema<"Policy">;
type Role = Policy["roles"][number];

export interface RoleTools {
  readonly role: Role;
  /** Identities, in the policy's order. */
  readonly has: readonly string[];
  readonly lacks: readonly string[];
}

/** Each role's tools among those that the policy allows. */
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

/** A larger table would be hard to read. */
const [MAX_ROLES, MAX_TOOLS] = [8, 60];

/** The tools that any role has, for a table with a column per role; null if it would be too large. */
export function toolsOfRoles(roles: readonly RoleTools[]): readonly string[] | null {
  const tools = [...new Set(roles.flatMap(({ has }) => has))];
  return roles.length === 0 || roles.length > MAX_ROLES || tools.length > MAX_TOOLS ? null : tools;
}
