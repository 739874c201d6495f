/** Keeps unchanged items of a list that was fetched again, so that only changed ones are rendered. */
import { replaceEqualDeep } from "@tanstack/react-query";

/**
 * `next`, in which each item that equals the previous one of the same key is replaced by that, and each key occurs
 * once, at its first position. The previous list itself if nothing differs.
 */
export function shareItems<Item, Key>(
  previous: readonly Item[],
  next: Iterable<Item>,
  keyOf: (item: Item) => Key,
): readonly Item[] {
  const before = new Map(previous.map((item) => [keyOf(item), item]));
  const shared = new Map<Key, Item>();
  for (const item of next) {
    const key = keyOf(item);
    if (!shared.has(key)) shared.set(key, replaceEqualDeep(before.get(key), item));
  }
  const items = [...shared.values()];
  return isSame(previous, items) ? previous : items;
}

const isSame = <Item>(one: readonly Item[], other: readonly Item[]): boolean =>
  one.length === other.length && one.every((item, at) => item === other[at]);
