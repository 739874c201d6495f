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
const PATH = /[:/?#][^\s<>"'`]*/y;

/** File extensions that are no top-level domains: `report.pdf` isn't a host. */
const FILES = new Set(
  "txt pdf doc docx xls xlsx ppt pptx odt ods csv tsv json jsonl xml yaml yml html htm css js ts jsx tsx jpg jpeg png gif svg webp bmp mp3 mp4 wav avi log ini toml cfg conf bak tmp sql db sqlite ipynb java cpp go rb php swift kt eml ics vcf epub tex bib rtf gz tar exe dll bin iso lock".split(
    " ",
  ),
);

/** Links of one text. Instead of further links, one is added that nobody said. */
const MAX_LINKS = 1000;

/** Each link of a text, in the forms in which a user may have written it. */
export function linksIn(text: string): readonly (readonly string[])[] {
  const links: (readonly string[])[] = [];
  const plain = foldCompatible(decodeEntities(text))
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[\u3002\uff61]/gu, ".");
  LINK.lastIndex = 0;
  for (let match = LINK.exec(plain); match !== null; match = LINK.exec(plain)) {
    const names = match.groups?.names;
    const found = names === undefined ? match[0] : hostIn(plain, match.index, names);
    LINK.lastIndex = found ? plain.indexOf(found, match.index) + found.length : match.index + 1;
    if (found === null) continue;
    if (links.length >= MAX_LINKS) return [...links, []];
    links.push(formsOf(found));
  }
  return links;
}

/** The host among names with dots, with its path: up to the last that may be a top-level domain. */
function hostIn(text: string, at: number, names: string): string | null {
  const labels = names.split(".");
  // Behind an address's `@`, or in a name with `_`, the first is a part of something else.
  const isPart = /[@_]/.test(text[at - 1] ?? "");
  const isCutOff = /[@_]/.test(text[at + names.length] ?? "");
  const last = labels.findLastIndex(
    (label, index) => TOP_LEVEL.test(label) && !(isCutOff && index === labels.length - 1),
  );
  const host = labels.slice(isPart ? 1 : 0, last + 1).join(".");
  if (last < (isPart ? 2 : 1)) return null;
  PATH.lastIndex = at + names.length;
  const path = last === labels.length - 1 ? (PATH.exec(text)?.[0] ?? "") : "";
  return FILES.has(labels[last] ?? "") && !path.includes("/") ? null : host + path;
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
