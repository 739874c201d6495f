/** The permissions granted to a session and its runs. */
import { PERMISSIONS, type Permission } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { assertGiven } from "./option-shapes.ts";

/** Granted permissions, or a function that is called at every call. */
export type Grant = Iterable<Permission> | (() => Iterable<Permission> | Promise<Iterable<Permission>>);

/**
 * The most that a session may ever be granted, as its journal stores it.
 * @throws SluicegateError `invalid-request` for a function, which other handles of the session wouldn't have.
 */
export function toPermissions(given: Iterable<Permission>): readonly Permission[] {
  if (typeof given === "function") throw functionAtOpening();
  return collectPermissions(given);
}

/**
 * Permissions in canonical order.
 * @throws SluicegateError `invalid-request` for anything else
 */
export function collectPermissions(given: Iterable<Permission>): readonly Permission[] {
  assertGiven("permissions", given, "permissions");
  // An iterator can be read only once, so its copy is checked.
  const held = new Set(given);
  assertGiven("permissions", held, "permissions");
  return PERMISSIONS.filter((permission) => held.has(permission));
}

const functionAtOpening = (): SluicegateError =>
  new SluicegateError("invalid-request", "The session can't be opened.", {
    why: "`permissions` must be a list or a set, and is a function.",
    fix: "Open it with all that it may ever be granted, and give the function to `session.run({ permissions })`: no journal keeps a function, so another handle of the session would have more.",
  });

/** The permissions that both grants contain: a run can't have more than its session. */
export function intersectGrants(outer: Grant | undefined, inner: Grant): Grant {
  if (outer === undefined) return inner;
  const resolve = async (grant: Grant): Promise<Iterable<Permission>> =>
    typeof grant === "function" ? await grant() : grant;
  return async () => {
    const most = new Set(await resolve(outer));
    return [...(await resolve(inner))].filter((permission) => most.has(permission));
  };
}
