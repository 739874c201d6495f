/** A small full-text search: the words of a query, in any case, in weighted fields; the rarer a word, the more it counts. */

export interface Field {
  readonly text: string;
  /** How much a word found here counts; a title counts more than a text. */
  readonly weight: number;
}

export interface Found<Item> {
  /** Best first, at most `limit`. */
  readonly items: Item[];
  /** How many matched, `limit` or not. */
  readonly total: number;
}

/** The items that hold at least one of the query's words. Equal ones stay in their order. */
export function search<Item>(input: {
  readonly query: string;
  readonly items: readonly Item[];
  readonly fields: (item: Item) => readonly Field[];
  readonly limit: number;
}): Found<Item> {
  const words = toSearchWords(input.query);
  const entries = input.items.map((item) => ({ item, counts: countWords(words, input.fields(item)) }));
  const rarity = words.map((_, index) => {
    const holders = entries.filter((entry) => (entry.counts[index] ?? 0) > 0).length;
    return Math.log(1 + entries.length / Math.max(1, holders));
  });
  const matches = entries
    .map(({ item, counts }) => ({ item, score: score(counts, rarity) }))
    .filter((match) => match.score > 0)
    .sort((left, right) => right.score - left.score);
  return { items: matches.slice(0, input.limit).map((match) => match.item), total: matches.length };
}

/** The words that a query looks for: the small words of English are left out, unless there is nothing else. */
export function toSearchWords(query: string): string[] {
  const words = [...new Set(toWords(query))];
  const telling = words.filter((word) => !smallWords.has(word));
  return telling.length > 0 ? telling : words;
}

/** Whether a word of a text answers a word of a query: `figures` finds `figure`, `pric` finds `prices`. */
export function isMatch(wordOfText: string, wordOfQuery: string): boolean {
  if (wordOfText === wordOfQuery) return true;
  return wordOfQuery.length >= 4 && wordOfText.startsWith(wordOfQuery);
}

/** Lower-case words in the order of the text, without the plural's `s`. */
export function toWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(toSingular);
}

function toSingular(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

/** For each word, its hits in the fields, each hit with its field's weight. */
function countWords(words: readonly string[], fields: readonly Field[]): number[] {
  const texts = fields.map((field) => ({ weight: field.weight, words: toWords(field.text) }));
  return words.map((word) =>
    texts.reduce(
      (sum, text) => sum + text.weight * text.words.filter((other) => isMatch(other, word)).length,
      0,
    ),
  );
}

/** A second hit counts, but less than the first. */
function score(counts: readonly number[], rarity: readonly number[]): number {
  const scores = counts.map((count, index) =>
    count === 0 ? 0 : (1 + Math.log(count)) * (rarity[index] ?? 0),
  );
  return scores.reduce((sum, part) => sum + part, 0);
}

const smallWords = new Set(
  `a about an and are as at be by can did do does for from has have how i in is it me my not of on or
   our that the their this to was we were what when where which who why will with you your`.split(/\s+/),
);
