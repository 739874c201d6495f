/**
 * Text of an upstream as it may stand in a log or an error: one line, what can't be seen made visible, cut, and
 * without the secrets that its server was given.
 * THREAT: the upstream controls every character, and may echo what it was started with.
 */

/** Cleans a text and cuts it to `longest` characters. */
export type CleanText = (text: string, longest: number) => string;

const REDACTED = "[redacted]";
// A value that short is a switch and not a secret; without it every "1" of a text would be struck out.
const MIN_SECRET_LENGTH = 4;
const SPACE = /[\s\u0085]+/g;
// Control, format and private characters, and lone surrogates.
const UNSEEN = /\p{C}/gu;

/** A cleaner that strikes out these values, and each of their lines, also where they stand as JSON or in a URL. */
export function createCleanText(secrets: Iterable<string>): CleanText {
  const forms = [...new Set([...secrets].flatMap(formsOf))].sort((left, right) => right.length - left.length);
  const longestForm = forms[0]?.length ?? 0;
  return (text, longest) => {
    const isCut = text.length > longest + longestForm;
    let clean = isCut ? text.slice(0, longest + longestForm) : text;
    for (const form of forms) clean = clean.replaceAll(form, REDACTED);
    // INVARIANT: a secret that the first cut split ends the text and is shorter than the longest form.
    if (isCut) clean = clean.slice(0, Math.max(0, clean.length - longestForm));
    clean = clean.replaceAll(SPACE, " ").trim().replaceAll(UNSEEN, escaped);
    return isCut || clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
  };
}

function formsOf(secret: string): string[] {
  const parts = [secret, ...secret.split(/[\r\n]+/)].map((part) => part.trim());
  const forms = parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1), toUrlText(part)]);
  return forms.filter((form) => form.length >= MIN_SECRET_LENGTH);
}

// A lone surrogate has no form in a URL.
const toUrlText = (part: string): string => (part.isWellFormed() ? encodeURIComponent(part) : part);

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;
