/**
 * An upstream's text for a log or an error: one line, with invisible characters escaped, truncated, and without the
 * secrets of its server. THREAT: the upstream controls every character, and may repeat its environment.
 */

/** Cleans a text and truncates it to `longest` characters. */
export type CleanText = (text: string, longest: number) => string;

const REDACTED = "[redacted]";
// Shorter values are switches, not secrets; otherwise every "1" would be removed.
const MIN_SECRET_LENGTH = 4;
const SPACE = /[\s\u0085]+/g;
// Control, format and private characters, and lone surrogates.
const UNSEEN = /\p{C}/gu;

/** A cleaner that removes these values, and each of their lines, also in JSON and URL encodings. */
export function createCleanText(secrets: Iterable<string>): CleanText {
  const forms = [...new Set([...secrets].flatMap(formsOf))].sort((left, right) => right.length - left.length);
  const longestForm = forms[0]?.length ?? 0;
  return (text, longest) => {
    const isCut = text.length > longest + longestForm;
    let clean = isCut ? text.slice(0, longest + longestForm) : text;
    for (const form of forms) clean = clean.replaceAll(form, REDACTED);
    // INVARIANT: if truncation split a secret, its rest is at the end of the text and shorter than the longest form.
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

// A lone surrogate can't be encoded in a URL.
const toUrlText = (part: string): string => (part.isWellFormed() ? encodeURIComponent(part) : part);

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`;
