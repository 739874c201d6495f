/** Links in text: with a scheme, with `www.`, or a bare host name or address. In doubt, a text is a link. */
import { foldCompatible } from "./words.ts";

const ENTITY = /&(?:#(?:x([0-9a-f]{1,6})|(\d{1,7}));?|([a-z]{1,10});)/gi;
/** Escapes that a link may be written with. Characters that only break it on the page are removed, as browsers do. */
const NAMED = new Map(
  Object.entries({ colon: ":", sol: "/", bsol: "\\", period: ".", commat: "@", tab: "", newline: "" }),
);
/**
 * With a scheme, an address in numbers, or names with dots. THREAT: strangers write the text, so no part of it is read
 * again for each of its letters.
 */
const LINK =
  /(?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|https?:|www\.|(?:mailto|javascript|data):|(?<!\p{L})(?:tel|sms):)[^\s<>"'`]+|(?<![@\p{L}\p{N}_.-])(?:\d{1,3}\.){3}\d{1,3}(?![\p{N}.])(?:[:/][^\s<>"'`]*)?|(?<![\p{L}\p{N}-]\.?)(?<names>[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/gu;
const TOP_LEVEL = /^(?:\p{L}{2,24}|xn--[a-z0-9-]{1,59})$/u;
/** Where a link ends. */
const STOP = /[\s<>"'`]/g;

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
 * Each link of a text, in the forms in which a user may have written it. Beyond the budget there is one more, in no
 * form, so that nobody said it.
 */
export function linksIn(text: string, budget: LinkBudget): readonly (readonly string[])[] {
  const plain = foldWithin(text, budget);
  if (plain === null) return [[]];
  const links: (readonly string[])[] = [];
  const stops = nextOf((from) => {
    STOP.lastIndex = from;
    return STOP.exec(plain)?.index ?? plain.length;
  });
  const slashes = nextOf((from) => plain.indexOf("/", from));
  LINK.lastIndex = 0;
  for (let match = LINK.exec(plain); match !== null; match = LINK.exec(plain)) {
    const { index: at, groups } = match;
    const found = groups?.names ? hostIn(plain, { at, names: groups.names, stops, slashes }) : match[0];
    if (found === null) {
      // THREAT: behind half of a character, the same would be found again.
      LINK.lastIndex = at + ((plain.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
      continue;
    }
    LINK.lastIndex = plain.indexOf(found, at) + found.length;
    budget.links -= 1;
    if (budget.links < 0) return [...links, []];
    links.push(formsOf(found));
  }
  return links;
}

function foldWithin(text: string, budget: LinkBudget): string | null {
  let folded = "";
  const decoded = decodeEntities(text.slice(0, budget.characters + 1));
  for (let at = 0; at < decoded.length && folded.length <= budget.characters; at += PIECE)
    folded += foldCompatible(decoded.slice(at, at + PIECE));
  budget.characters -= Math.max(text.length, folded.length);
  if (budget.characters < 0) return null;
  return folded.replaceAll(/\p{Cf}/gu, "").replaceAll(/[\u3002\uff61]/gu, ".");
}

const PIECE = 10_000;

/** Finds what comes next behind a place; asked for later and later places, it goes over the text once. */
function nextOf(find: (from: number) => number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = find(from);
    if (found < 0) found = Number.POSITIVE_INFINITY;
    return found;
  };
}

interface Names {
  readonly at: number;
  readonly names: string;
  /** Where the next sign stands that ends a link, and the next slash. */
  readonly stops: (from: number) => number;
  readonly slashes: (from: number) => number;
}

const isOfName = (sign: string | undefined): boolean => sign === "@" || sign === "_";

/** The host among names with dots, with its path: up to the last that may be a top-level domain. */
function hostIn(text: string, { at, names, stops, slashes }: Names): string | null {
  const labels = names.split(".");
  // Behind an address's `@`, or in a name with `_`, the first is a part of something else.
  const first = isOfName(text[at - 1]) ? 1 : 0;
  const end = at + names.length;
  const behind = text[end] ?? "";
  let last = labels.length - (isOfName(behind) ? 2 : 1);
  while (last > first && !TOP_LEVEL.test(labels[last] ?? "")) last -= 1;
  if (last <= first) return null;
  const hasPath = last === labels.length - 1 && ":/?#".includes(behind) && behind !== "";
  if (FILES.has(labels[last] ?? "") && !(hasPath && slashes(end) < stops(end))) return null;
  const host = labels.slice(first, last + 1).join(".");
  return hasPath ? host + text.slice(end, stops(end)) : host;
}

function formsOf(found: string): readonly string[] {
  const link = found.replace(/(?<![.,;:!?)\]}…])[.,;:!?)\]}…]+$/u, "");
  const bare = link.replace(/^https?:\/\//, "");
  return [...new Set([link, bare, bare.replace(/\/$/, ""), link.replace(/\/$/, "")])];
}

const decodeEntities = (text: string): string =>
  text.replaceAll(ENTITY, (entity, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code === 9 || code === 10 || code === 13) return "";
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
