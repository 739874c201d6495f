/** Links in text: with a scheme, with `www.`, or a bare host name or address. In doubt, a text is a link. */
import { type LinkEnd, LinkEnds } from "./link-ends.ts";
import { fold, foldCompatible } from "./words.ts";

const ENTITY = /&(?:#(?:x0*([0-9a-f]{1,6})|0*(\d{1,7}));?|([a-z]{1,14});)/gi;
/**
 * Escapes that a link may be written with. Characters that only break it on the page are removed, as browsers do. THREAT:
 * some readers don't decode a slash, so it ends no host; a backslash doesn't either.
 */
const NAMED = new Map(
  Object.entries({
    colon: ":",
    sol: "\\",
    bsol: "\\",
    period: ".",
    commat: "@",
    amp: "&",
    tab: "",
    newline: "",
    shy: "",
    zerowidthspace: "",
  }),
);
/** THREAT: an escaped quote or space, in an attribute, doesn't end a link, so it stays an escape. */
const ENDS_LINK = /[\0- "'`<>()[\]{}|,;]/;
/** Browsers remove line breaks and tabs from a link. */
const BROKEN_SCHEME = /h[\t\r\n]*t[\t\r\n]*t[\t\r\n]*p[\t\r\n]*(?:(s)[\t\r\n]*)?:[\t\r\n]*/gi;
/**
 * The beginning of a link: a scheme, two slashes of either kind, an address in numbers, or names with dots. THREAT:
 * strangers write the text, so no part of it is read again for each of its letters. Behind slashes, a host may be written
 * with escapes or as one number, so whatever follows is a link.
 */
const LINK =
  /(?:(?<![a-z0-9+.\-])[a-z0-9+.\-]+:\/\/|www\.|(?<!\p{L})(?:mailto|javascript|data|tel|sms):)(?=\S)|(?<schemes>https?:|(?<!\p{L})(?:ftp|wss?):)|(?<slashes>[\/\\][\t\r\n]*[\/\\])|<base(?=[\s\/>])|(?<numbers>(?<![\p{L}\p{M}\p{N}.])(?:\d{1,3}\.){3}\d{1,3}(?!\p{N}|\.\p{N}))|(?<![[\p{L}\p{M}\p{N}\p{S}_\-]--[$+<=>^`\|~]]\.?)(?<names>[[\p{L}\p{M}\p{N}\p{S}_\-]--[$+<=>^`\|~]]+(?:\.[[\p{L}\p{M}\p{N}\p{S}_\-]--[$+<=>^`\|~]]+)+)/gv;
/** What is behind a `_` may be the end of a text in italics; other signs and digits end a host as well. */
const TOP_LEVEL = /^(?<name>\p{L}[\p{L}\p{M}]+)(?:[_\-\p{S}\p{N}]|$)/u;
/** Behind the `@` of an address. */
const DOMAIN = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*\.\p{L}{2,}(?![\p{L}\p{M}\p{N}_-])/u;
const NAME = /^[\p{L}\p{M}\p{N}]/u;

/** File extensions that are no top-level domains: `report.pdf` isn't a host. */
const FILES = new Set(
  "txt pdf doc docx xls xlsx ppt pptx odt ods csv tsv json jsonl xml yaml yml html htm css js ts jsx tsx jpg jpeg png gif svg webp bmp mp3 mp4 wav avi log ini toml cfg conf bak tmp sql db sqlite ipynb java cpp go rb php swift kt eml ics vcf epub tex bib rtf gz tar exe dll bin iso lock".split(
    " ",
  ),
);

/** What is left for all texts of a call: links, and characters, of which one may become 18. */
export interface LinkBudget {
  links: number;
  characters: number;
}

/**
 * Each link of a text, in the forms in which a user may have written it. What goes on behind white space has no form, and
 * beyond the budget there is one more without any, so that nobody said it.
 */
export function linksIn(text: string, budget: LinkBudget): readonly (readonly string[])[] {
  const links = new Map<string, readonly string[]>();
  for (const { found, isWhole } of foundInAll(readingsOf(text, budget))) {
    // THREAT: a link that goes on behind white space isn't the same one without that.
    const key = isWhole ? found : `${found} `;
    if (links.has(key)) continue;
    budget.links -= 1;
    if (budget.links < 0) return [...links.values(), []];
    links.set(key, isWhole ? formsOf(found) : []);
  }
  return budget.characters < 0 ? [...links.values(), []] : [...links.values()];
}

/**
 * What programs may make of a text: without compatibility characters, which may be spaces or quotes, and with them;
 * without invisible characters, and with a space for each. Only as many as the budget is enough for.
 */
function* readingsOf(text: string, budget: LinkBudget): Generator<string> {
  const done = new Set<string>();
  const once = decode(text.slice(0, Math.max(0, budget.characters) + 1));
  // A document in an attribute is decoded twice.
  const decoded = once.includes("&") ? [once, decode(once)] : [once];
  for (const folded of decoded.flatMap((one) => [foldCompatible(one), fold(one)]))
    for (const invisible of ["", " "]) {
      const reading = folded.replaceAll(/[\u3002\uff61]/gu, ".").replaceAll(/\p{Cf}/gu, invisible);
      if (done.has(reading)) continue;
      done.add(reading);
      budget.characters -= Math.max(reading.length, done.size === 1 ? text.length : 0);
      if (budget.characters < 0) return;
      yield reading;
    }
}

interface Found {
  readonly found: string;
  readonly isWhole: boolean;
}

function* foundInAll(readings: Iterable<string>): Generator<Found> {
  for (const reading of readings) yield* foundIn(reading);
}

/** Each link of one reading, as often as it is there. */
function* foundIn(text: string): Generator<Found> {
  const ends = new LinkEnds(text);
  for (let from = 0; ; ) {
    LINK.lastIndex = from;
    const match = LINK.exec(text);
    if (match === null) return;
    const at = match.index;
    const link = linkAt(text, match, ends);
    // THREAT: behind half of a character, the same would be found again.
    from = link ? Math.max(link.end, at + 1) : at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    if (link === null) continue;
    yield { found: text.slice(at, link.end), isWhole: link.isWhole };
  }
}

/** Where a link ends that may begin here; null if it is none. */
function linkAt(
  text: string,
  { 0: begun, index: at, groups }: RegExpExecArray,
  ends: LinkEnds,
): LinkEnd | null {
  const end = at + begun.length;
  // The first changes where all other links lead; the host behind the second may be written in any way.
  if (begun === "<base" || groups?.slashes) return { end, isWhole: false };
  if (groups?.schemes && /^\s/.test(text.slice(end, end + 1))) return { end, isWhole: false };
  if (groups?.names) return hostAt(text, { at, names: begun, ends });
  if (groups?.numbers) return hasPath(text, end) ? ends.of(at, end) : { end, isWhole: true };
  return ends.of(at, end);
}

interface Names {
  readonly at: number;
  readonly names: string;
  readonly ends: LinkEnds;
}

const hasPath = (text: string, at: number): boolean => /[:/?#]/.test(text[at] ?? "");

const isFile = (label = ""): boolean =>
  FILES.has(label) || FILES.has(TOP_LEVEL.exec(label)?.groups?.name ?? "");

/** The host among names with dots, with its path: up to the last that may be a top-level domain. */
function hostAt(text: string, { at, names, ends }: Names): LinkEnd | null {
  const labels = names.split(".");
  const behind = at + names.length;
  const isLocalPart = text[behind] === "@" && DOMAIN.test(text.slice(behind + 1, behind + 256));
  let last = labels.length - (isLocalPart ? 2 : 1);
  while (last > 0 && !TOP_LEVEL.test(labels[last] ?? "")) last -= 1;
  if (last <= 0) return null;
  if (last === labels.length - 1 && hasPath(text, behind)) {
    return isFile(labels[last]) && ends.next("/", behind) >= ends.next(" ", behind)
      ? null
      : ends.of(at, behind);
  }
  const isAddress = text[at - 1] === "@" && !names.endsWith("-") && NAME.test(text[at - 2] ?? "");
  if (isAddress || isFile(labels[last])) return null;
  return { end: at + labels.slice(0, last + 1).join(".").length, isWhole: true };
}

/** As it is, and without up to three signs behind it that may be of the text around it. */
function formsOf(found: string): readonly string[] {
  const link = found.replace(/(?<![.,;:!?)\]}…"'`”“’‘»«>])[.,;:!?)\]}…"'`”“’‘»«>]{1,3}$/u, "");
  const plain = found
    .replace(/^[_*]+/, "")
    .replace(/(?<![.,;:!?)\]}…"'`”“’‘»«>_*~])[.,;:!?)\]}…"'`”“’‘»«>_*~]{1,5}$/u, "");
  const forms = [found, link, plain].flatMap((one) => {
    const bare = one.replace(/^https?:\/\/(?!https?:)/, "");
    return bare === one && !one.includes(":") ? [one, `https://${one}`] : [one, bare];
  });
  return [...new Set(forms.flatMap((one) => [one, one.replace(/\/$/, "")]))];
}

const decodeEntities = (text: string): string =>
  text.replaceAll(ENTITY, (entity, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code === 9 || code === 10 || code === 13) return "";
    if (code === 0x2f) return "\\";
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    return ENDS_LINK.test(character) ? entity : character;
  });

/** As readers of HTML and Markdown take it: without escapes, and without line breaks in a scheme. */
const decode = (text: string): string =>
  decodeEntities(text)
    .replaceAll(/(?<![/\\])\\:/g, ":")
    .replaceAll(BROKEN_SCHEME, "http$1:");
