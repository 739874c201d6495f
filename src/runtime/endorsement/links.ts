/** Links in text: with a scheme, with `www.`, or a bare host name or address. In doubt, a text is a link. */
import { type LinkEnd, LinkEnds } from "./link-ends.ts";
import { fold, foldCompatible } from "./words.ts";

/**
 * What begins a link, or may hold one: a scheme, two slashes of either kind, an address in numbers, names with dots, and
 * whatever programs read in their own way: Markdown's destinations, tags and entities of HTML. THREAT: strangers write the
 * text, so no part of it is read again for each of its letters.
 */
const LINK =
  /(?:(?<![a-z0-9+.\-])[a-z0-9+.\-]+:\/\/|www\.|(?<!\p{L})(?:mailto|javascript|data|tel|sms):)(?=\S)|(?<scheme>h[\t\r\n]*t[\t\r\n]*t[\t\r\n]*p[\t\r\n]*(?:s[\t\r\n]*)?:|(?<!\p{L})(?:ftp|wss?):)|(?<slashes>[\/\\][\t\r\n]*[\/\\])|(?<destination>\](?:\((?!<?https?:\/\/)|:(?!\s*<?https?:\/\/)))|(?<tag><(?=[a-z!?\/]))|(?<entity>&(?:#|[a-z][a-z0-9]*;|(?:shy|ord[fm]|sup[1-3]|micro|middot)))|(?<numbers>(?<![\p{L}\p{M}\p{N}.])(?:\d{1,3}\.){3}\d{1,3}(?!\p{N}|\.\p{N}))|(?<![[\p{L}\p{M}\p{N}\p{S}_\-]--[$+<=>^`\|~]]\.?)(?<names>[[\p{L}\p{M}\p{N}\p{S}_\-]--[$+<=>^`\|~]]+(?:\.[[\p{L}\p{M}\p{N}\p{S}_\-]--[$+<=>^`\|~]]+)+)/gv;
/**
 * Tags that show nothing from elsewhere, and what isn't one: `<https://…>`, `<ada@acme.example>`. THREAT: browsers read
 * links in attributes with escapes, spaces and line breaks, and in styles and scripts in more ways, so no other tag is safe.
 */
const SAFE_TAG =
  /<(?:\/?(?!script|style)[a-z][a-z0-9]*(?:\s+(?:class|id|v?align|dir|lang|width|height|border|cell(?:padding|spacing)|colspan|rowspan)=(?:"[\w %-]*"|'[\w %-]*'|[\w%-]+))*\s*\/?>|https?:\/\/|[\w.+-]{1,64}@[\w.-]{1,255}>)/y;
/** Entities that hide no part of a link: letters with accents, and punctuation. */
const SAFE_ENTITY =
  /&(?:(?<letter>[a-z])(?:uml|acute|grave|circ|tilde|cedil|ring|slash|caron|zlig|elig);|(?:amp|lt|gt|quot|apos|nbsp|hellip|[mn]dash|[lr][sda]quo|bull|copy|reg|trade|euro|pound|#(?:x27|34|38|39|160|82(?:11|12|16|17|20|21|26|30)));)/y;
const SAFE_ENTITIES = new RegExp(SAFE_ENTITY, "g");
/** Programs leave these out. */
const INVISIBLE = /[[\p{C}\p{DI}]--\s]/gv;
/** What is behind a `_` may be the end of a text in italics; other signs and digits end a host as well. */
const TOP_LEVEL = /^(?<name>\p{L}[\p{L}\p{M}]+)(?:[_\-\p{S}\p{N}]|$)/u;
/** What may stand before a host without a scheme. THREAT: behind other signs, for some programs it begins earlier. */
const BEFORE_HOST = /^[\t\n\r "'`(<>[|*_\u201c\u2018\u00ab]?$/;
/** What mail addresses are for all programs: what may stand before one, its name, and the domain behind its `@`. */
const BEFORE_ADDRESS = /^[\t\n\r "(<>]?$/;
const DOTTED_NAME = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*$/;
const BEHIND_NAME = /(?<=(?:^|[\t\n\r "'(<>,;:[|=])[\p{L}0-9]+(?:[._+-][\p{L}0-9]+)*@)/uy;
const DOMAIN =
  /(?:[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?\.)+[a-z]{2,}_{0,2}(?!\.?[[\p{L}\p{M}\p{N}\p{S}\p{Cf}_\-]--[$+<=>^`\|~]])/vy;

/** THREAT: in `site.com-plan.pdf`, `site.comé.pdf` and where a sign stands in a name, some programs find a host. */
const FILE_NAME = /^(?!.*\.(?:\p{L}{2,}[_\-].*\.|[a-z]{2,}\P{ASCII}))[[\p{L}\p{Nd}_.\-]--\p{DI}]+$/v;
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
 * Each link of a text, in the forms in which a user may have written it. One that may go on, that programs read in
 * several ways, or that lies beyond the budget has no form, so that nobody said it.
 */
export function linksIn(text: string, budget: LinkBudget): readonly (readonly string[])[] {
  const links = new Map<string, readonly string[]>();
  // THREAT: as readers get it. Composed, `>` before a combining mark is no `>`.
  const searched = text.slice(0, Math.max(0, budget.characters) + 1).toLowerCase();
  budget.characters -= Math.max(searched.length, text.length);
  if (budget.characters < 0) return [[]];
  let others = "";
  let behind = 0;
  for (const { at, end, isWhole } of foundIn(searched)) {
    const found = searched.slice(at, end);
    // THREAT: a link that may go on isn't the same one as one that doesn't.
    const key = isWhole ? found : `${found} `;
    if (isWhole) {
      others += `${searched.slice(behind, at)} `;
      behind = end;
    }
    if (links.has(key)) continue;
    budget.links -= 1;
    if (budget.links < 0) return [...links.values(), []];
    links.set(key, isWhole ? formsOf(fold(found)) : []);
  }
  const isHidden = mayHideLink(others + searched.slice(behind), budget);
  return isHidden ? [...links.values(), []] : [...links.values()];
}

/**
 * Whether another reading of a text has a link: without compatibility characters, without invisible ones or with spaces
 * for them, with letters for entities. Also where the budget isn't enough to find out.
 */
function mayHideLink(text: string, budget: LinkBudget): boolean {
  const done = new Set([text]);
  const plain = withoutEntities(text).replaceAll(/[\u3002\uff61]/gu, ".");
  for (const folded of [plain, fold(plain), foldCompatible(plain)])
    for (const invisible of ["", " "]) {
      const reading = folded.replaceAll(INVISIBLE, invisible);
      if (done.has(reading)) continue;
      done.add(reading);
      budget.characters -= reading.length;
      if (budget.characters < 0 || foundIn(reading).next().value) return true;
    }
  return false;
}

function withoutEntities(text: string): string {
  return text.replaceAll(SAFE_ENTITIES, (_, letter?: string) => letter ?? " ");
}

interface Found extends LinkEnd {
  readonly at: number;
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
    const isWhole = link.isWhole && (match[0].includes(":") || BEFORE_HOST.test(text[at - 1] ?? ""));
    yield { at, end: link.end, isWhole };
  }
}

/** Where a link ends that may begin here; null if it is none. */
function linkAt(
  text: string,
  { 0: begun, index: at, groups }: RegExpExecArray,
  ends: LinkEnds,
): LinkEnd | null {
  const end = at + begun.length;
  if (groups?.tag)
    return isAt(SAFE_TAG, text, at) || ends.next(">", at) > text.length ? null : { end, isWhole: false };
  if (groups?.entity) return isAt(SAFE_ENTITY, text, at) ? null : { end, isWhole: false };
  // The host behind slashes may be written in any way.
  if (groups?.slashes || groups?.destination) return { end, isWhole: false };
  if (groups?.scheme && /\s/.test(text.slice(at, end + 1))) return { end, isWhole: false };
  if (groups?.names) return hostAt(text, { at, names: begun, ends });
  if (groups?.numbers && !hasPath(text, end)) return { end, isWhole: ends.isHostEnd(at, end, true) };
  return ends.of(at, end);
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

interface Names {
  readonly at: number;
  readonly names: string;
  readonly ends: LinkEnds;
}

const hasPath = (text: string, at: number): boolean => /[:/?#]/.test(text[at] ?? "");

const isFile = (names: string, label = ""): boolean =>
  FILE_NAME.test(names) && (FILES.has(label) || FILES.has(TOP_LEVEL.exec(label)?.groups?.name ?? ""));

/** Whether a dotted name is of an address, not a host. */
const isName = (text: string, at: number, end: number): boolean =>
  text[end] === "@" &&
  BEFORE_ADDRESS.test(text[at - 1] ?? "") &&
  DOTTED_NAME.test(text.slice(at, end)) &&
  isAt(DOMAIN, text, end + 1);

const isDomain = (text: string, at: number): boolean =>
  text[at - 1] === "@" && isAt(BEHIND_NAME, text, at) && isAt(DOMAIN, text, at);

/** The host among names with dots, with its path: up to the last that may be a top-level domain. */
function hostAt(text: string, { at, names, ends }: Names): LinkEnd | null {
  const labels = names.split(".");
  const behind = at + names.length;
  let last = labels.length - (isName(text, at, behind) ? 2 : 1);
  while (last > 0 && !TOP_LEVEL.test(labels[last] ?? "")) last -= 1;
  if (last <= 0) return null;
  if (last === labels.length - 1 && hasPath(text, behind)) {
    return isFile(names, labels[last]) && ends.next("/", behind) >= ends.next(" ", behind)
      ? null
      : ends.of(at, behind);
  }
  if (isDomain(text, at) || isFile(names, labels[last])) return null;
  const end = at + labels.slice(0, last + 1).join(".").length;
  return { end, isWhole: end === behind && ends.isHostEnd(at, end, true) };
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
