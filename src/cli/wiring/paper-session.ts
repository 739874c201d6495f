/** A session that exists only on paper, to play calls on. */
import {
  apply,
  initialState,
  listNames,
  nearMiss,
  type Policy,
  type SessionState,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";

// Nothing that is decided depends on when.
const NO_TIME = "";

/**
 * The state of a clean session, in a role or in none.
 * @throws SluicegateError `usage` for a role that the policy doesn't have.
 */
export function openOnPaper(policy: Policy, role: string | undefined): SessionState {
  if (role !== undefined && !policy.roles.has(role)) throw unknownRole(policy, role);
  const opened = {
    kind: "session-opened",
    principal: "operator",
    role: role ?? null,
    tools: null,
    task: false,
  } as const;
  return apply(initialState(policy.lattice), opened, NO_TIME);
}

function unknownRole(policy: Policy, role: string): SluicegateError {
  const known = [...policy.roles.keys()];
  const near = nearMiss(role, known);
  return new SluicegateError("usage", `There is no role \`${role}\`.`, {
    why: known.length === 0 ? "The policy has no roles." : `The policy has the roles ${listNames(known)}.`,
    fix:
      near === undefined ? "Name a role of the policy, or leave `--role` out." : `Did you mean \`${near}\`?`,
  });
}
