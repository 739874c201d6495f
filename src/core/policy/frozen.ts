/** What is finished: maps and sets that can't change any more, and copies of declarations, frozen to their depths. */

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

/** A copy of plain data and the functions in it. Typed as what it was given, since it holds the same. */
export function copy<Value>(value: Value): Value;
export function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => copy(item)));
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)])));
}
