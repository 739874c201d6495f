/** Replaces a part of a text, which must be there exactly once unless all are meant. */
import { SluicegateError } from "../../../errors/index.ts";
import { MAX_EDITED_CHARACTERS, MAX_REPLACEMENTS } from "../limits.ts";

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

export interface EditedText {
  readonly text: string;
  readonly count: number;
}

/**
 * The text after the replacement. In a file with `\r\n`, a part with `\n` matches too.
 * @throws SluicegateError `invalid-request` if the old part is missing, or is there several times.
 */
export function editText(text: string, replacement: Replacement): EditedText {
  const { oldText, newText } = inFileStyle(text, replacement);
  if (oldText === "")
    throw impossible("The text to replace is empty.", "Give the part that is to be replaced.");
  const places = placesOf(text, oldText);
  const count = places.length;
  if (count === 0) {
    throw impossible(
      "The text to replace isn't in the file.",
      "Read the file again and give the part exactly as it stands there, with its white space.",
    );
  }
  if (count > 1 && !replacement.all) {
    throw impossible(
      `The text to replace stands in the file ${count > MAX_REPLACEMENTS ? `more than ${MAX_REPLACEMENTS}` : count} times.`,
      "Give more of what is around it, so that it stands there once, or replace all of them.",
    );
  }
  if (
    count > MAX_REPLACEMENTS ||
    text.length + count * (newText.length - oldText.length) > MAX_EDITED_CHARACTERS
  ) {
    throw impossible(
      "That replaces too much at once.",
      "Give a longer part, or write the file in another way.",
    );
  }
  return { text: replaceAt(text, places, oldText.length, newText), count };
}

/**
 * The positions of a part, without overlaps, up to a limit. By Knuth, Morris and Pratt, in linear time: the engine's
 * own search may take the product of both lengths.
 */
function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  const fallbacks = fallbacksOf(part);
  for (let at = 0, held = 0; at < text.length && places.length <= MAX_REPLACEMENTS; at += 1) {
    const code = text.charCodeAt(at);
    while (held > 0 && part.charCodeAt(held) !== code) held = fallbacks[held - 1] ?? 0;
    if (part.charCodeAt(held) === code) held += 1;
    if (held < part.length) continue;
    places.push(at + 1 - held);
    held = 0;
  }
  return places;
}

/** For each prefix of a part, the length of its longest border. */
function fallbacksOf(part: string): Int32Array {
  const fallbacks = new Int32Array(part.length);
  for (let at = 1, held = 0; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    while (held > 0 && part.charCodeAt(held) !== code) held = fallbacks[held - 1] ?? 0;
    if (part.charCodeAt(held) === code) held += 1;
    fallbacks[at] = held;
  }
  return fallbacks;
}

function replaceAt(text: string, places: readonly number[], length: number, newText: string): string {
  const kept = places.map((place, index) =>
    text.slice(index === 0 ? 0 : (places[index - 1] ?? 0) + length, place),
  );
  return [...kept, text.slice((places.at(-1) ?? 0) + length)].join(newText);
}

function inFileStyle(text: string, { oldText, newText }: Replacement): { oldText: string; newText: string } {
  const style = styleOf(text);
  if (style.lineEnd === "\r\n") {
    return { oldText: toLineEnd(oldText, "\r\n"), newText: toLineEnd(newText, "\r\n") };
  }
  const asWindows = toLineEnd(oldText, "\r\n");
  // In a file with both kinds, the old part decides, and its replacement has the same line ends.
  return style.lineEnd === null && asWindows !== oldText && !holds(text, oldText) && holds(text, asWindows)
    ? { oldText: asWindows, newText: toLineEnd(newText, "\r\n") }
    : { oldText, newText };
}

const holds = (text: string, part: string): boolean => part === "" || placesOf(text, part).length > 0;

const impossible = (why: string, fix: string): SluicegateError =>
  new SluicegateError("invalid-request", "The file can't be edited so.", { why, fix });

/** Line ends and byte order marks, which a file keeps. */
const BOM = "\uFEFF";

interface TextStyle {
  readonly bom: boolean;
  /** The line end of all of its lines; null if it has none, or several kinds. */
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

/**
 * A text in the style of the one that it replaces: with its mark, and with its line ends unless it already has
 * `\r\n`.
 */
export function inStyle(text: string, style: TextStyle): string {
  const ended = style.lineEnd === "\r\n" ? toLineEnd(text, "\r\n") : text;
  return style.bom && !ended.startsWith(BOM) ? BOM + ended : ended;
}

/** Converts line ends; a text with `\r\n` stays as it is. */
const toLineEnd = (text: string, lineEnd: "\n" | "\r\n"): string =>
  lineEnd === "\n" || text.includes("\r\n") ? text : text.replaceAll("\n", "\r\n");
