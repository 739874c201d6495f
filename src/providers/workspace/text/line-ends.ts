/** Line ends and byte order marks: what a file has, it keeps. */

const BOM = "\uFEFF";

export interface TextStyle {
  readonly bom: boolean;
  /** The one line end that all of its lines have; null where it has none, or several kinds. */
  readonly lineEnd: "\n" | "\r\n" | null;
}

export function styleOf(text: string): TextStyle {
  let [crlf, all] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== 10) continue;
    all += 1;
    if (text.charCodeAt(at - 1) === 13) crlf += 1;
  }
  const lineEnd = all === 0 || (crlf > 0 && crlf < all) ? null : crlf === all ? "\r\n" : "\n";
  return { bom: text.startsWith(BOM), lineEnd };
}

/** A text that replaces one of this style: with its mark, and with its line ends unless it brings its own `\r\n`. */
export function inStyle(text: string, style: TextStyle): string {
  const ended = style.lineEnd === "\r\n" ? toLineEnd(text, "\r\n") : text;
  return style.bom && !ended.startsWith(BOM) ? BOM + ended : ended;
}

/** Lines that end in `\n` end as said; a text that already has a `\r\n` was written with care and stays. */
export const toLineEnd = (text: string, lineEnd: "\n" | "\r\n"): string =>
  lineEnd === "\n" || text.includes("\r\n") ? text : text.replaceAll("\n", "\r\n");
