/** What a session and its runs are granted. */
import { PERMISSIONS, type Permission } from "../core/index.ts";
import { SluicegateError } from "../errors/index.ts";
import { assertGiven } from "./option-shapes.ts";

/** Granted permissions, or a function that is asked at every call. */
export type Grant = Iterable<Permission> | (() => Iterable<Permission> | Promise<Iterable<Permission>>);

/**
 * What a session may ever be granted, as its journal keeps it.
 * @throws SluicegateError `invalid-request` for a function: another handle of the session would have more.
 */
export function toPermissions(given: Iterable<Permission>): readonly Permission[] {
  if (typeof given === "function") throw functionAtOpening();
  return collectPermissions(given);
}

/**
 * Permissions in their own order.
 * @throws SluicegateError `invalid-request` for other words, also those that an iterator gives.
 */
export function collectPermissions(given: Iterable<Permission>): readonly Permission[] {
  assertGiven("permissions", given, "permissions");
  // An iterator can be gone through once, so what it gives is checked.
  const held = new Set(given);
  assertGiven("permissions", held, "permissions");
  return PERMISSIONS.filter((permission) => held.has(permission));
}

const functionAtOpening = (): SluicegateError =>
  new SluicegateError("invalid-request", "The session can't be opened.", {
    why: "`permissions` must be a list or a set, and is a function.",
    fix: "Open it with all that it may ever be granted, and give the function to `session.run({ permissions })`: no journal keeps a function, so another handle of the session would have more.",
  });

/** Both grants at once: what a run is granted can't exceed what its session is. */
export function intersectGrants(outer: Grant | undefined, inner: Grant): Grant {
  if (outer === undefined) return inner;
  const resolve = async (grant: Grant): Promise<Iterable<Permission>> =>
    typeof grant === "function" ? await grant() : grant;
  return async () => {
    const most = new Set(await resolve(outer));
    return [...(await resolve(inner))].filter((permission) => most.has(permission));
  };
}
