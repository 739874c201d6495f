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
  /(?:(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/|https?:|www\.|(?:mailto|javascript|data):|(?<!\p{L})(?:tel|sms):)[^\s<>"'`]+|(?<![\p{L}\p{M}\p{N}.])(?:\d{1,3}\.){3}\d{1,3}(?![\p{N}.])(?:[:/][^\s<>"'`]*)?|(?<![\p{L}\p{M}\p{N}_-]\.?)(?<names>[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)+)/gu;
/** What is behind a `_` may be the end of a text in italics. */
const TOP_LEVEL = /^(?<name>\p{L}[\p{L}\p{M}]{1,23}|xn--[a-z0-9-]{1,59})(?:_|$)/u;
const NAME = /^[\p{L}\p{M}\p{N}._-]/u;
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
  const links = new Map<string, readonly string[]>();
  for (const reading of readingsOf(text, budget)) {
    if (budget.characters < 0) return [...links.values(), []];
    for (const found of foundIn(reading)) {
      if (links.has(found)) continue;
      budget.links -= 1;
      if (budget.links < 0) return [...links.values(), []];
      links.set(found, formsOf(found));
    }
  }
  return [...links.values()];
}

/** The text without invisible characters, and with a space for each: programs do either. */
function* readingsOf(text: string, budget: LinkBudget): Generator<string> {
  const folded = foldCompatible(decodeEntities(text.slice(0, budget.characters + 1)));
  const plain = folded.replaceAll(/[\u3002\uff61]/gu, ".");
  budget.characters -= Math.max(text.length, plain.length);
  yield plain.replaceAll(INVISIBLE, "");
  const spaced = plain.replaceAll(INVISIBLE, " ");
  if (spaced === plain) return;
  budget.characters -= spaced.length;
  yield spaced;
}

const INVISIBLE = /\p{Cf}/gu;

function* foundIn(text: string): Generator<string> {
  const stops = nextOf((from) => {
    STOP.lastIndex = from;
    return STOP.exec(text)?.index ?? text.length;
  });
  const slashes = nextOf((from) => text.indexOf("/", from));
  LINK.lastIndex = 0;
  for (let match = LINK.exec(text); match !== null; match = LINK.exec(text)) {
    const { index: at, groups } = match;
    const found = groups?.names ? hostIn(text, { at, names: groups.names, stops, slashes }) : match[0];
    // THREAT: behind half of a character, the same would be found again.
    const length = found?.length ?? ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    LINK.lastIndex = at + length;
    const next = LINK.lastIndex;
    if (found !== null) yield found;
    LINK.lastIndex = next;
  }
}

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

const isFile = (label = ""): boolean => FILES.has(TOP_LEVEL.exec(label)?.groups?.name ?? "");

/** The host among names with dots, with its path: up to the last that may be a top-level domain. */
function hostIn(text: string, { at, names, stops, slashes }: Names): string | null {
  const labels = names.split(".");
  const end = at + names.length;
  const behind = text[end] ?? "";
  const isLocalPart = behind === "@" && NAME.test(text.slice(end + 1, end + 3));
  let last = labels.length - (isLocalPart ? 2 : 1);
  while (last > 0 && !TOP_LEVEL.test(labels[last] ?? "")) last -= 1;
  if (last <= 0) return null;
  const host = labels.slice(0, last + 1).join(".");
  const hasPath = last === labels.length - 1 && /[:/?#]/.test(behind);
  if (hasPath && slashes(end) < stops(end)) return host + text.slice(end, stops(end));
  if (isFile(labels[last])) return null;
  if (hasPath) return host + text.slice(end, stops(end));
  const isAddress = text[at - 1] === "@" && NAME.test(text[at - 2] ?? "");
  return isAddress ? null : host;
}

function formsOf(found: string): readonly string[] {
  const link = found.replace(/(?<![.,;:!?)\]}…])[.,;:!?)\]}…]+$/u, "");
  const plain = link.replace(/^[_*~]+/, "").replace(/(?<![.,;:!?)\]}…_*~])[.,;:!?)\]}…_*~]+$/u, "");
  const forms = [link, plain].flatMap((one) => [one, one.replace(/^https?:\/\//, "")]);
  return [...new Set(forms.flatMap((one) => [one, one.replace(/\/$/, "")]))];
}

const decodeEntities = (text: string): string =>
  text.replaceAll(ENTITY, (entity, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code === 9 || code === 10 || code === 13) return "";
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
