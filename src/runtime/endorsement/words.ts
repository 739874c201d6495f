/**
 * Words as keyed digests, for the user's words and for the values of calls and results, so that they can be compared
 * without storing text. Case is ignored. Look-alike and compatibility characters stay different, but both readings of
 * the user's text count.
 */
import { createHmac, type KeyObject } from "node:crypto";
import { normalize, type Utterance } from "../../core/index.ts";
import { permittedParts } from "./forbidden-words.ts";

/** Characters of one utterance that count; later ones endorse nothing. */
export const MAX_SAID = 64 * 1024;
/** Characters removed from a word to find its other forms. */
const MAX_TRIMMED = 4;

export const fold = (text: string): string => normalize(text, "NFC").toLowerCase();

/** Folds a text with its compatibility characters replaced, for searches that must find every notation. */
export const foldCompatible = (text: string): string => normalize(text, "NFKC").toLowerCase();

const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/gu;

/** The words of a folded text. Only white space separates them: `a@b.example` is one word, and so is `a,b`. */
export const splitWords = (folded: string): readonly string[] => splitAt(folded, /\s+/u);

/** Splits at commas and semicolons too, except within numbers. */
const splitLists = (folded: string): readonly string[] =>
  splitAt(folded, /[\s;\u3001]+|(?<!\d),|,(?!\d{3}(?!\d))/u);

const splitAt = (folded: string, separator: RegExp): readonly string[] =>
  folded
    .replaceAll(WITHOUT_SPACES, " $& ")
    .split(separator)
    .filter((word) => word !== "");

const OPENING = /^["'`*«»‹›“”„‘’([{<「『#@]/u;
const CLOSING = /(?:['’]s|["'`*«»‹›“”„‘’)\]}>」』.,:;!?…。、])$/u;

/** A word, and the same without punctuation around it. A leading dot or slash stays: `.env` isn't `env`. */
function formsOf(word: string): readonly string[] {
  const starts = trimmed(word, OPENING);
  return [...new Set(starts.flatMap((start) => trimmed(start, CLOSING)))].filter((form) => form !== "");
}

function trimmed(word: string, mark: RegExp): readonly string[] {
  const forms = [word];
  for (let at = 0; at < MAX_TRIMMED; at += 1) {
    const shorter = forms[at]?.replace(mark, "");
    if (shorter === undefined || shorter === forms[at]) break;
    forms.push(shorter);
  }
  return forms;
}

/** Each has a maximum length: otherwise a text of opening quotes would be read again from each of them. */
const QUOTED =
  /"([^"\n]+)"|“([^”\n]{1,300})”|„([^“”\n]{1,300})[“”]|«([^»\n]{1,300})»|`([^`\n]+)`|「([^」\n]{1,300})」|(?<![\p{L}\p{N}])['‘](.{1,300}?)['’](?![\p{L}\p{N}])/gu;

/** Keyed digests of words: equal for equal words, and useless for guessing them without the key. */
export class WordTokens {
  readonly #key: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  of(word: string): string {
    return createHmac("sha256", this.#key).update(`word:${word}`).digest("base64url").slice(0, 16);
  }

  /** A whole quoted text: for titles, of which single words prove nothing. */
  quoted(folded: string): string {
    return this.of(`"${folded.trim()}"`);
  }

  /**
   * What the user said and didn't forbid: each word in its forms, then each quoted text, as utterances of their own.
   * Lists without spaces, and compatibility characters, count in both readings.
   */
  utterances(text: string): readonly Utterance[] {
    const said = text.slice(0, MAX_SAID);
    const parts = [...new Set([fold(said), foldCompatible(said)])].flatMap(permittedParts);
    return parts.flatMap((part) => {
      const readings = [splitWords(part), ...(/[,;\u3001]\S/u.test(part) ? [splitLists(part)] : [])];
      const words = readings.map((reading) =>
        reading.map((word) => formsOf(word).map((form) => this.of(form))),
      );
      const quotes = [...part.matchAll(QUOTED)].map(([, ...spans]) => [
        [this.quoted(spans.find((span) => span !== undefined) ?? "")],
      ]);
      return [...words, ...quotes].filter((utterance) => utterance.length > 0);
    });
  }
}
