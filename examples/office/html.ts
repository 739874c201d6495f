/** As much HTML as a search needs: a page's title, its own address, and its text. */

/** The text of a page or a mail, a line per block, without styles and scripts. */
export function htmlToText(html: string): string {
  return decodeEntities(
    html
      .replace(/<(head|script|style)\b[\s\S]*?<\/\1>/gi, "")
      .replace(/\s+/g, " ")
      .replace(/<br\b[^>]*>|<\/(?:p|h[1-6]|li|tr|div)>/gi, "\n")
      .replace(/<[^>]*>/g, ""),
  )
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

/** What stands in `<title>`, or nothing. */
export function htmlTitle(html: string): string | undefined {
  const found = /<title>([^<]*)<\/title>/i.exec(html);
  return found?.[1] === undefined ? undefined : decodeEntities(found[1]).trim();
}

/** The address that the page gives as its own, or nothing. */
export function htmlAddress(html: string): string | undefined {
  return /<link rel="canonical" href="([^"]*)"/i.exec(html)?.[1];
}

const namedEntities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["ldquo", "“"],
  ["rdquo", "”"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["euro", "€"],
]);

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,6})|([a-z]+));/gi,
    (entity, code: string | undefined, name: string | undefined) =>
      code === undefined ? (namedEntities.get(name ?? "") ?? entity) : String.fromCodePoint(Number(code)),
  );
}
