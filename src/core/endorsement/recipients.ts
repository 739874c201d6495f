/**
 * Which recipients a key of `recipients` or `readers` means. THREAT: the agent writes the recipient, and a mail program,
 * git or an HTTP client reads it in its own way. So a pattern matches plain recipients only, part by part.
 */
import { normalize } from "../decision/normalize.ts";
import { matchesWildcard } from "../tools/pattern.ts";

export interface RecipientPattern {
  readonly key: string;
  readonly parts: readonly string[];
}

export const toPattern = (key: string): RecipientPattern => ({ key, parts: Object.freeze(partsOf(key)) });

/** Cut at each `/ ? # : @ %`, which are parts too; one at the beginning, as in `#general`, belongs to the name. */
const partsOf = (text: string): string[] => text.split(/(?<=.)([/?#:@%])/s);

const MAX_LENGTH = 1000;

/** Lists, names beside addresses, invisible characters, and dots that aren't ASCII. */
const NOT_PLAIN = /[\s\p{C}\p{Default_Ignorable_Code_Point},;<>()[\]"`|\\\u3002]/u;

/** `.` and `..` in a path, a dot behind a host, hosts in Punycode, and escapes in a path but of spaces and non-ASCII. */
const OTHER_SPELLING = /\.(?:[/?#:]|$)|(?:^|[./@:])xn--|^[^?]*%(?!20|[89a-f])/;

/** A URL, an address (with a path, as git has it), or a name without either. */
const FORMS = [
  /^[a-z][a-z0-9+.-]*:\/\/(?:(?<=^ssh:\/\/)[^@:/?#]+@)?[a-z0-9_*.-]+(?::\d+)?(?:[/?#]|$)/,
  /^[^@:/?#]+@[a-z0-9_*.-]+(?::[^@]*)?$/,
  /^(?!\/\/|(?:https?|wss?|ftps?|file|mailto):|.*:\/).[^@]*$/,
];

/** Whether a pattern may match a text: only one recipient, which every program reads alike. It is in lower case. */
export const isRecipient = (text: string): boolean =>
  text !== "" &&
  text.length <= MAX_LENGTH &&
  !NOT_PLAIN.test(text) &&
  normalize(text, "NFKC") === text &&
  !OTHER_SPELLING.test(text) &&
  FORMS.some((form) => form.test(text));

/**
 * For one recipient: whether a key means it. `*` stands for a part or for some of one, and at the end of a pattern for
 * everything. `"partly"`: the pattern matches only if `*` stands for more, or only the host or the address in a
 * longer text.
 */
export function recipientMatcher(text: string): (pattern: RecipientPattern) => boolean | "partly" {
  const isPlain = isRecipient(text);
  const parts = isPlain ? partsOf(text) : [];
  const head = isPlain ? (/^(?:[^:/?#]*:\/\/)?[^:/?#]*/.exec(text)?.[0] ?? "") : "";
  const readings = head === text ? [text, `${text}/`] : [text, head, `${head}/`];
  return ({ key, parts: wanted }) => {
    if (key === text) return true;
    if (!isPlain || !readings.some((reading) => matchesWildcard(key, reading))) return false;
    return matchesParts(wanted, parts) || "partly";
  };
}

function matchesParts(pattern: readonly string[], parts: readonly string[]): boolean {
  const last = pattern.length - 1;
  const isOpen = pattern[last]?.endsWith("*") === true;
  if (isOpen ? parts.length <= last : parts.length !== pattern.length) return false;
  return pattern.every((part, at) =>
    matchesWildcard(part, at === last ? parts.slice(at).join("") : (parts[at] ?? "")),
  );
}
