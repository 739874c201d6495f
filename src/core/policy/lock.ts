/** Maps and sets that are finished: `Object.freeze` alone leaves what they hold open to change. */

const MUTATORS = ["set", "add", "delete", "clear"] as const;

/**
 * The same map or set, which can't be changed any more by a call of its methods: they throw a TypeError, as an
 * assignment to a frozen object does. It stays a plain `Map` or `Set`, and is as fast to look up in.
 */
export function lock<Kept extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>>(kept: Kept): Kept {
  for (const name of MUTATORS) {
    if (name in kept) Object.defineProperty(kept, name, { value: refuse });
  }
  return Object.freeze(kept);
}

function refuse(): never {
  throw new TypeError("A policy can't be changed. Make a tighter one with `tighten`, or define another.");
}
