/** A name's words in lower case: `getPullRequest`, `get_pull_request` and `get-pull-request` have the same. */
export function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

/** Whether one of the words is in the set, as it stands or as the plural of one that is. */
export const hasWord = (words: readonly string[], set: ReadonlySet<string>): boolean =>
  words.some((word) => singulars(word).some((one) => set.has(one)));

const singulars = (word: string): readonly string[] => [
  word,
  word.replace(/s$/, ""),
  word.replace(/es$/, ""),
  word.replace(/ies$/, "y"),
];

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
