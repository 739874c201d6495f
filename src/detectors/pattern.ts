/** One kind of thing that is looked for: what looks like it, and what tells whether it is one. */
export interface Pattern {
  readonly kind: string;
  /** Global, and linear in the text's length: whoever writes the text chooses the worst one. */
  readonly candidates: RegExp;
  /** Whether a candidate is one; left out, each is. */
  readonly check?: (candidate: string, match: RegExpMatchArray) => boolean;
}

/** Where something stands in a text. */
export interface Hit {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Hits of one kind that are distinguished; a text with more has them all the same. */
export const MAX_HITS = 1000;

/** What is found by a pattern, in the text's order. */
export function findAll(text: string, { kind, candidates, check = () => true }: Pattern): Hit[] {
  const hits: Hit[] = [];
  for (const match of text.matchAll(candidates)) {
    if (!check(match[0], match)) continue;
    hits.push({ kind, start: match.index, end: match.index + match[0].length });
    if (hits.length >= MAX_HITS) break;
  }
  return hits;
}
