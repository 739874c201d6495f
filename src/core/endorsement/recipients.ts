/**
 * Which recipients a key of `recipients` or `readers` means. THREAT: the agent writes the recipient, and a mail program,
 * git or an HTTP client reads it in its own way. So a pattern matches plain recipients only, part by part.
 */
import { normalize } from "../decision/normalize.ts";
import { matchesWildcard } from "../tools/pattern.ts";

export interface RecipientPattern {
  readonly key: string;
  readonly parts: readonly string[];
  /** Without a scheme, `*@` and a port. */
  readonly host: string;
  /** What all that it matches ends with: most recipients don't. */
  readonly tail: string;
}

export function toPattern(key: string): RecipientPattern {
  const host = hostOf(key);
  const tail = key.endsWith(host) ? host.slice(host.lastIndexOf("*") + 1) : "";
  return Object.freeze({ key, parts: Object.freeze(partsOf(key)), host, tail });
}

const hostOf = (key: string): string =>
  withoutScheme(key)
    .replace(/^\*@/, "")
    .replace(/:\d+(?=[/?#]|$)/, "");

const withoutScheme = (text: string): string => text.replace(/^[^:/?#]*:\/\//, "");

/** Cut at each `/ ? # : @ %`, which are parts too; one at the beginning, as in `#general`, belongs to the name. */
const partsOf = (text: string): string[] => text.split(/(?<=.)([/?#:@%])/s);

const MAX_LENGTH = 1000;

/** Lists, names beside addresses, invisible characters, and dots that aren't ASCII. */
const NOT_PLAIN = /[\s\p{C}\p{Default_Ignorable_Code_Point},;<>()[\]{}"`|\\\u3002]/u;

/**
 * `.` and `..` in a path, a dot behind a host, hosts in Punycode, escapes in a path but of spaces and non-ASCII, and
 * options of a command.
 */
const OTHER_SPELLING = [
  /\.(?:[/?#:]|$)|(?:^|[./@:])xn--|^-(?!\d+$)|:\/\/-/,
  /^(?:[^:/?#]*:\/\/)?[^:/?#]*%|^[^?]*%(?!20|[89ab]|c[2-9a-f]|d|e(?!0%[89])|f(?!0%8)[0-4])/,
];

/** Clients read `127.1`, `0177.0.0.1` and `2130706433` as this host too. */
const IN_NUMBERS = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/;

function hasOtherNumbers(text: string): boolean {
  const host = /:\/\/(?:[^@/?#]*@)?([^/?#:]*)/.exec(text)?.[1] ?? "";
  return /(?:^|\.)(?:0x[\da-f]*|\d+)$/.test(host) && !IN_NUMBERS.test(host);
}

/** A URL, an address (with a path, as git has it), or a name without either. */
const FORMS = [
  /^[a-z][a-z0-9+.-]*:\/\/(?:(?<=^ssh:\/\/)[^@:/?#]+@)?[a-z0-9_*][a-z0-9_*.-]*(?::\d+)?(?:[/?#]|$)/,
  /^[^@:/?#!]+@[a-z0-9_*][a-z0-9_*.-]*(?::[^@]*)?$/,
  /^(?!\/\/|(?:https?|wss?|ftps?|file|mailto):|.*:\/|.+!.).[^@]*$/,
];

/** Whether a pattern may match a text: only one recipient, which every program reads alike. It is in lower case. */
export const isRecipient = (text: string): boolean =>
  text !== "" &&
  text.length <= MAX_LENGTH &&
  !NOT_PLAIN.test(text) &&
  normalize(text, "NFKC") === text &&
  !OTHER_SPELLING.some((spelling) => spelling.test(text)) &&
  !hasOtherNumbers(text) &&
  FORMS.some((form) => form.test(text));

/**
 * For one recipient: whether a key means it. `*` stands for a part or for some of one; at the end of a pattern of
 * several parts, and alone, for everything. `"partly"`: the pattern matches only if `*` stands for more, or matches
 * only the host or the address in a longer text.
 */
export function recipientMatcher(text: string): (pattern: RecipientPattern) => boolean | "partly" {
  const isPlain = isRecipient(text) && !text.includes("*");
  const parts = isPlain ? partsOf(text) : [];
  const head = isPlain ? (/^(?:[^:/?#]*:\/\/)?[^:/?#]*/.exec(text)?.[0] ?? "") : "";
  const host = withoutScheme(head).replace(/^.*@/s, "");
  const readings = [...new Set([text, head, `${head}/`])];
  const isPartly = ({ key, host: wanted }: RecipientPattern): boolean =>
    readings.some((reading) => matchesWildcard(key, reading)) ||
    matchesWildcard(wanted, host) ||
    matchesWildcard(wanted, `${host}/`);
  return (pattern) => {
    if (pattern.key === text && !text.includes("*")) return true;
    if (!isPlain || !readings.some((reading) => reading.endsWith(pattern.tail))) return false;
    return matchesParts(pattern.parts, parts) || (isPartly(pattern) && "partly");
  };
}

function matchesParts(pattern: readonly string[], parts: readonly string[]): boolean {
  const last = pattern.length - 1;
  const isOpen = pattern[last]?.endsWith("*") === true && (last > 0 || pattern[0] === "*");
  if (isOpen ? parts.length <= last : parts.length !== pattern.length) return false;
  // Git takes what stands before the colon for a host; in Matrix it begins with one of these.
  if (pattern[0] === "*" && pattern[1] === ":" && !/^[#@!$+]/.test(parts[0] ?? "")) return false;
  return pattern.every((part, at) =>
    matchesWildcard(part, at === last ? parts.slice(at).join("") : (parts[at] ?? "")),
  );
}
