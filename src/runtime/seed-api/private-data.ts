/** Private data of the current session, for tools that mark it themselves. */
import type { LabelDeclaration, Permission } from "../../core/index.ts";
import { currentSession } from "../current-session.ts";
import { assertGiven } from "../option-shapes.ts";

/**
 * The base set, without `connect` while the current session holds private data. For programs without a policy file; a
 * gate does the same per tool, by its clearance.
 * @throws SluicegateError `no-current-session` outside of one.
 */
export function resolvePermissions(base: Iterable<Permission>): ReadonlySet<Permission> {
  assertGiven("permissions", base, "base");
  const held = new Set(base);
  if (currentSession().private) held.delete("connect");
  return held;
}

/**
 * Marks the current session private, at a level above the lowest: the second-lowest by default. Durable once it
 * resolves.
 */
export async function markSessionPrivate(sensitivity?: string): Promise<void> {
  const session = currentSession();
  const { levels } = session.state.lattice;
  await session.addDataset("marked-by-hand", sensitivity ?? levels[1] ?? levels[0] ?? "");
}

/** Adds a data set to the current session, which can only raise its level. Durable once it resolves. */
export const addPrivateDataset = (id: string, sensitivity: string | LabelDeclaration): Promise<void> =>
  currentSession().addDataset(id, sensitivity);

/** Whether the current session holds private data, as of the last entry known to this process. */
export const sessionHasPrivateData = (): boolean => currentSession().private;
