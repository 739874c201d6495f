/**
 * Where a link in a text ends. Programs differ: Markdown and HTML name its end, and where neither does, a link goes on
 * to white space. THREAT: what is behind the end goes to the same host, so in doubt a link is longer.
 */

/** How a link ends that begins behind one of these. */
const CLOSING = new Map([
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["<", ">"],
]);

const SPACE = /[\t-\r ]/g;

export interface LinkEnd {
  readonly end: number;
  /** False where it goes on behind white space. */
  readonly isWhole: boolean;
}

export class LinkEnds {
  readonly #text: string;
  readonly #signs = new Map<string, (from: number) => number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the link ends whose first character is at `start`, looked for from `from`. Starts never decrease. */
  of(start: number, from = start): LinkEnd {
    const before = this.#text.slice(Math.max(0, start - 10), start);
    const space = Math.min(this.next(" ", from), this.#text.length);
    const whole = (end: number): LinkEnd => ({ end: Math.min(end, space), isWhole: true });
    const closing = CLOSING.get(before.at(-1) ?? "");
    if (closing !== undefined) {
      const end = this.next(closing, from);
      const mayHaveSpaces = /=\s*["']$|\(\s*<$/.test(before);
      return end < space || !mayHaveSpaces ? whole(end) : { end: space, isWhole: end > this.#text.length };
    }
    if (before.endsWith("](")) return whole(this.#destinationEnd(from));
    // A link as the text of another one, which counts by itself.
    const label = before.endsWith("[") ? this.next("](http", from) : Number.POSITIVE_INFINITY;
    return whole(Math.min(label, this.next("<", from)));
  }

  /** Where a sign comes next; each is looked for once in the whole text. */
  next(sign: string, from: number): number {
    let find = this.#signs.get(sign);
    if (find === undefined) {
      find = nextOf(sign === " " ? (at) => this.#nextSpace(at) : (at) => this.#text.indexOf(sign, at));
      this.#signs.set(sign, find);
    }
    return find(from);
  }

  #nextSpace(from: number): number {
    SPACE.lastIndex = from;
    return SPACE.exec(this.#text)?.index ?? -1;
  }

  /** Markdown goes on behind an escaped sign. */
  #destinationEnd(from: number): number {
    const end = this.next(")", from);
    return this.#text[end - 1] === "\\" ? Number.POSITIVE_INFINITY : end;
  }
}

function nextOf(find: (from: number) => number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = find(from);
    if (found < 0) found = Number.POSITIVE_INFINITY;
    return found;
  };
}
