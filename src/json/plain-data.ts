/** Reads from JSON that may be anybody's: nothing in it is taken for granted. */

/** A property of its own; undefined if there is none. */
export const propertyOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;

/** A text; null if there is none. */
export function textIn(data: unknown, key: string): string | null {
  const value = propertyOf(data, key);
  return typeof value === "string" ? value : null;
}

/** A list; empty if there is none. */
export const listIn = (data: unknown, key: string): readonly unknown[] => {
  const value = propertyOf(data, key);
  return Array.isArray(value) ? value : [];
};
