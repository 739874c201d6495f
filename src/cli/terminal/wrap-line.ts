/** Lines cut to the width of a terminal: in several, so that all of it is seen. */

import { toVisible } from "../../json/visible-json.ts";
import type { Part } from "./terminal.ts";

export type Line = readonly Part[];

/** Begins what goes on from the line before, so that no text can be made to look like a line of its own. */
const GOES_ON = "  ↪ ";

/** Columns that a character takes at most: what may be wide counts as wide, so that no line is longer than it seems. */
function columnsOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x1100) return 1;
  const isPunctuation = point >= 0x2010 && point <= 0x22ff;
  const isBox = point >= 0x2500 && point <= 0x257f;
  return isPunctuation || isBox ? 1 : 2;
}

interface Piece {
  readonly part: Part;
  /** The text that is left, with nothing hidden in it. */
  readonly characters: readonly string[];
}

const toPiece = (part: Part): Piece => ({
  part,
  characters: [...toVisible(typeof part === "string" ? part : part.text)],
});

const withText = (part: Part, text: string): Part => (typeof part === "string" ? text : { ...part, text });

/** A line as several, none of them wider than `columns`. */
export function wrapLine(line: Line, columns: number): readonly Line[] {
  const room = Math.max(columns, GOES_ON.length + 2);
  const wrapped: Part[][] = [[]];
  let left = room;
  for (const { part, characters } of line.map(toPiece)) {
    let text = "";
    const flush = (): void => {
      if (text !== "") wrapped.at(-1)?.push(withText(part, text));
      text = "";
    };
    for (const character of characters) {
      const width = columnsOf(character);
      if (width > left) {
        const word = lastWord(text);
        text = text.slice(0, text.length - word.length);
        flush();
        wrapped.push([{ text: GOES_ON, tone: "dim" }]);
        left = room - GOES_ON.length - columnsOfAll(word);
        text = word;
      }
      text += character;
      left -= width;
    }
    flush();
  }
  return wrapped;
}

const MAX_WORD_LENGTH = 12;

/** The word that a text ends with, so that it isn't cut; empty where it is too long to be one. */
function lastWord(text: string): string {
  const word = text.slice(text.lastIndexOf(" ") + 1);
  return word.length < Math.min(MAX_WORD_LENGTH, text.length) ? word : "";
}

const columnsOfAll = (text: string): number =>
  [...text].reduce((columns, character) => columns + columnsOf(character), 0);
