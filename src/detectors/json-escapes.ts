/**
 * The escapes of JSON in a text, undone. Any text may be JSON in part: a line, what follows a word, a value within JSON.
 * So nothing is parsed: a copy of the lines that have escapes is scanned as well.
 */

/** The lines of a text that have escapes, with these undone. */
interface UnescapedLines {
  readonly text: string;
  /** Where a position of it stands in the original text. */
  toOriginal(position: number): number;
}

const CHARACTERS = new Map(Object.entries({ '"': '"', "/": "/", n: "\n", r: "\n", t: "\t" }));
const CODE = /^[0-9A-Fa-f]{4}$/;
const BACKSLASH = 92;

/** Null if a text has no escapes. Linear in the text. */
export function unescapeLines(text: string): UnescapedLines | null {
  const pieces: string[] = [];
  /** From each of these positions on, the two texts are the same until the next. */
  const own: number[] = [];
  const original: number[] = [];
  let [length, lineEnd, from] = [0, -1, 0];
  const write = (piece: string): void => {
    pieces.push(piece);
    length += piece.length;
  };
  const continueAt = (position: number): void => {
    from = position;
    own.push(length);
    original.push(position);
  };
  let next = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", next)) {
    // JSON within JSON has several backslashes.
    next = at + 1;
    while (text.charCodeAt(next) === BACKSLASH) next += 1;
    const character = readEscape(text, next);
    if (character === undefined) continue;
    if (at > lineEnd) {
      if (lineEnd >= 0) write(`${text.slice(from, lineEnd)}\n`);
      continueAt(text.lastIndexOf("\n", at) + 1);
      lineEnd = endOfLine(text, at);
    }
    write(text.slice(from, at));
    write(character);
    next += text[next] === "u" ? 5 : 1;
    continueAt(next);
  }
  if (lineEnd < 0) return null;
  write(text.slice(from, lineEnd));
  return {
    text: pieces.join(""),
    toOriginal: (position) => {
      const at = lastUpTo(own, position);
      return (original[at] ?? 0) + position - (own[at] ?? 0);
    },
  };
}

/** What stands for an escape whose letter or sign is at a position; undefined: it is none. */
function readEscape(text: string, at: number): string | undefined {
  if (text[at] !== "u") return CHARACTERS.get(text.charAt(at));
  const code = text.slice(at + 1, at + 5);
  return CODE.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : undefined;
}

function endOfLine(text: string, position: number): number {
  const end = text.indexOf("\n", position);
  return end < 0 ? text.length : end;
}

/** The index of the last number that isn't greater, by halving. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}
