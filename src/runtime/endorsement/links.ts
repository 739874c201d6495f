/** Links in text: with a scheme, with `www.`, or a bare host name or address. In doubt, a text is a link. */
import { foldCompatible } from "./words.ts";

const ENTITY = /&(?:#(?:x([0-9a-f]{1,6})|(\d{1,7}));?|([a-z]{1,10});)/gi;
/** Escapes that a link may be written with. Characters that only break it on the page are removed, as browsers do. */
const NAMED = new Map(
  Object.entries({ colon: ":", sol: "/", bsol: "\\", period: ".", commat: "@", tab: "", newline: "" }),
);
/**
 * THREAT: strangers write the text, so the length of each part is limited; the end of a longer name is still found.
 */
const LINK =
  /(?:[a-z][a-z0-9+.-]{0,30}:\/\/|https?:|www\.|(?:mailto|javascript|data):|(?<!\p{L})(?:tel|sms):)[^\s<>"'`]+|(?<![@\p{L}\p{N}_.-])(?:\d{1,3}\.){3}\d{1,3}(?![\p{N}.])(?:[:/][^\s<>"'`]*)?|(?<![@\p{L}\p{N}_-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}(\p{L}{2,24}|xn--[a-z0-9-]{1,59})(?![\p{L}\p{N}@_-])(?:[:/?#][^\s<>"'`]*)?/gu;

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
  for (const [found, ending] of plain.matchAll(LINK)) {
    if (ending !== undefined && FILES.has(ending) && !found.includes("/")) continue;
    if (links.length >= MAX_LINKS) return [...links, []];
    links.push(formsOf(found));
  }
  return links;
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
