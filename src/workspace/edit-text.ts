/** Replaces a part of a text, exactly once unless all are meant. */
import { SluicegateError } from "../errors/index.ts";
import { styleOf, toLineEnd } from "./line-ends.ts";

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
 * The text after the replacement. In a file whose lines end in `\r\n`, a part given with `\n` is found all the same.
 * @throws SluicegateError `invalid-request` where the old part isn't there, or stands there several times.
 */
export function editText(text: string, replacement: Replacement): EditedText {
  const { oldText, newText } = inFileStyle(text, replacement);
  if (oldText === "")
    throw impossible("The text to replace is empty.", "Give the part that is to be replaced.");
  const parts = text.split(oldText);
  const count = parts.length - 1;
  if (count === 0) {
    throw impossible(
      "The text to replace isn't in the file.",
      "Read the file again and give the part exactly as it stands there, with its white space.",
    );
  }
  if (count > 1 && !replacement.all) {
    throw impossible(
      `The text to replace stands in the file ${count} times.`,
      "Give more of what is around it, so that it stands there once, or replace all of them.",
    );
  }
  return { text: parts.join(newText), count };
}

function inFileStyle(text: string, { oldText, newText }: Replacement): { oldText: string; newText: string } {
  const style = styleOf(text);
  if (style.lineEnd === "\r\n") {
    return { oldText: toLineEnd(oldText, "\r\n"), newText: toLineEnd(newText, "\r\n") };
  }
  const asWindows = toLineEnd(oldText, "\r\n");
  // A file with both kinds: the part decides, and what takes its place ends like it.
  return style.lineEnd === null && !text.includes(oldText) && text.includes(asWindows)
    ? { oldText: asWindows, newText: toLineEnd(newText, "\r\n") }
    : { oldText, newText };
}

const impossible = (why: string, fix: string): SluicegateError =>
  new SluicegateError("invalid-request", "The file can't be edited so.", { why, fix });
