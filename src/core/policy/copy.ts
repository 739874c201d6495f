/** Copies of declarations, frozen to their depths: nothing that a caller keeps can change a policy later. */

/** A copy of plain data and the functions in it. Typed as what it was given, since it holds the same. */
export function copy<Value>(value: Value): Value;
export function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => copy(item)));
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)])));
}
