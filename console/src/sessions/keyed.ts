/** Keys for lists of texts from outside, which may be equal. */

interface Keyed<Item> {
  readonly key: string;
  readonly item: Item;
}

/** Each item with a unique key; equal ones are counted. */
export function keyed<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly Keyed<Item>[] {
  const times = new Map<string, number>();
  return items.map((item) => {
    const text = textOf(item);
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return { key: `${time} ${text}`, item };
  });
}

export const keyedTexts = (texts: readonly string[]): readonly Keyed<string>[] =>
  keyed(texts, (text) => text);
