/**
 * Where a link in a text ends. Programs differ: Markdown and HTML name its end, and where neither does, a link goes on
 * to white space. THREAT: what is behind the end goes to the same host, or makes it another one, so in doubt a link is
 * longer.
 */

/** What ends a link that begins behind one of these. */
const CLOSING = new Map([
  ['"', ['"']],
  ["'", ["'"]],
  ["`", ["`"]],
  ["<", [">", "|"]],
]);

/** What `next` looks for by these names: white space, what may go on with a host, and what ends it. */
const PATTERNS = new Map([
  [" ", /[\t\n\f\r ]/g],
  // What programs don't remove from a link, unlike tabs and line breaks.
  ["blank", /[\f ]/g],
  ["host", /[\p{L}\p{M}\p{N}%@&=_-]/gu],
  ["path", /[/?]|(?<!&)#/g],
  ["quote", /["']/g],
]);

/** Whether the host ends within a link. */
const hasHostEnd = (link: string): boolean => /[/?#\\]/.test(link.replace(/^[^:/?#\\]*:[/\\]*/, ""));

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
    const before = this.#spacesBefore(start);
    const space = Math.min(this.next(" ", from), this.#text.length);
    const closing = this.#closing(start, from, before);
    const last = closing ?? this.#valueEnd(before, from);
    // THREAT: browsers take spaces in an attribute for a part of a link.
    if (space < last && last < this.#text.length) return { end: space, isWhole: false };
    const end = Math.min(closing ?? this.#textEnd(start, from), space);
    return { end, isWhole: this.#isHostEnd(start, end) };
  }

  /** Where the spaces before a place begin. */
  #spacesBefore(place: number): number {
    let at = place;
    while (at > 0 && this.#text.charCodeAt(at - 1) <= 0x20) at -= 1;
    return at;
  }

  /** Where that ends in whose beginning a link stands, such as a value in quotes. */
  #closing(start: number, from: number, before: number): number | undefined {
    if (before === start && this.#text.slice(start - 2, start) === "](") return this.#destinationEnd(from);
    const sign = this.#text[before - 1] ?? "";
    // Before a space, a quote may be the end of another value.
    const isBeginning =
      before === start ||
      sign === "<" ||
      /[=(:,[{]/.test(this.#text[this.#spacesBefore(before - 1) - 1] ?? "");
    if (!isBeginning) return undefined;
    return CLOSING.get(sign)?.reduce(
      (end, one) => Math.min(end, this.next(one, from)),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Where the attribute may end in whose value a link stands that doesn't begin it: `0;url=…`, `url(&quot;…`. */
  #valueEnd(before: number, from: number): number {
    if (this.#text[before - 1] === "=") return this.next("quote", from);
    return this.#isBehindEntity(before) ? this.next("&", from) : Number.POSITIVE_INFINITY;
  }

  #isBehindEntity(place: number): boolean {
    return (
      this.#text[place - 1] === ";" &&
      /&#?[a-z0-9]{1,12};$/i.test(this.#text.slice(Math.max(0, place - 15), place))
    );
  }

  /** Where a link ends in text; behind `[`, the text of another link, which counts by itself. */
  #textEnd(start: number, from: number): number {
    const label = this.#text[start - 1] === "[" ? this.next("](http", from) : Number.POSITIVE_INFINITY;
    return Math.min(label, this.next("<", from));
  }

  /**
   * Whether the host of a link ends in it, or with it. THREAT: programs remove tabs and line breaks from a link, and take
   * what is before an `@` for a user's name: `https://acme.example` leads to another host before a line break and `.evil`,
   * and before ` @evil.example`, wherever a value as a whole is a link. Nor do all of them end a link at a quote.
   */
  #isHostEnd(start: number, end: number): boolean {
    if (hasHostEnd(this.#text.slice(start, Math.min(end, start + 300)))) return true;
    const path = this.next("path", end);
    if (this.next("@", end) < path) return false;
    // These can't be of a host.
    if (/^(?:<|["']?>|\||\]\(http)/.test(this.#text.slice(end, end + 6))) return true;
    return this.next("host", end) >= Math.min(this.next("blank", end), path, this.#text.length);
  }

  /** Where a sign, or one of `PATTERNS`, comes next; each is looked for once in the whole text. */
  next(sign: string, from: number): number {
    let find = this.#signs.get(sign);
    if (find === undefined) {
      const pattern = PATTERNS.get(sign);
      find = nextOf((at) => (pattern ? this.#search(pattern, at) : this.#text.indexOf(sign, at)));
      this.#signs.set(sign, find);
    }
    return find(from);
  }

  #search(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    return pattern.exec(this.#text)?.index ?? -1;
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
