/** The piece of a text that answers a query. */
import { isMatch, toSearchWords, toWords } from "./search.ts";

/** At most about `length` characters, from the sentence on that has most of the query's words. */
export function toExcerpt(text: string, query: string, length = 280): string {
  const words = toSearchWords(query);
  const sentences = text.split(/(?<=[.!?])\s+|\s*\n\s*/);
  const hits = sentences.map((sentence) => countHits(sentence, words));
  const best = hits.indexOf(Math.max(...hits));
  const piece = sentences.slice(best).join(" ");
  const cut = piece.length > length ? `${piece.slice(0, piece.lastIndexOf(" ", length))} …` : piece;
  return best > 0 ? `… ${cut}` : cut;
}

function countHits(sentence: string, words: readonly string[]): number {
  const wordsOfSentence = toWords(sentence);
  return words.filter((word) => wordsOfSentence.some((wordOfText) => isMatch(wordOfText, word))).length;
}
