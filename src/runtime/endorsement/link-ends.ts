/**
 * Where a link in plain text or Markdown ends, and whether it ends there for every program. In doubt it doesn't: what
 * goes on behind it leads elsewhere on the same host, or to another one.
 */

/** What `next` looks for by these names: white space, what may go on with a host, and what ends it. */
const PATTERNS = new Map([
  [" ", /[\t\n\f\r ]/g],
  // What programs don't remove from a link, unlike tabs and line breaks.
  ["blank", /[\f ]/g],
  ["host", /[\p{L}\p{M}\p{N}%@&=_-]|(?![$+<>^`|~])\p{S}/gu],
  ["path", /[/?]|(?<!&)#/g],
]);

/** Whether the host ends within a link. */
const hasHostEnd = (link: string): boolean => /[/?#\\]/.test(link.replace(/^[^:/?#\\]*:[/\\]*/, ""));

export interface LinkEnd {
  readonly end: number;
  /** False where it may go on. */
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
    const space = Math.min(this.next(" ", from), this.#text.length);
    const closing = this.#closing(start, from);
    if (closing === undefined) {
      const end = Math.min(space, this.#textEnd(start, from));
      return { end, isWhole: this.isHostEnd(start, end) };
    }
    if (closing >= space) return { end: space, isWhole: false };
    return { end: closing, isWhole: this.isHostEnd(start, closing) };
  }

  /** Where the quotes or brackets end that a link stands in; infinity where they don't, or may not. */
  #closing(start: number, from: number): number | undefined {
    const sign = this.#text[start - 1] ?? "";
    if (/["'`]/.test(sign)) return this.next(sign, from);
    if (sign === "(" && this.#text[start - 2] === "]") {
      const end = this.next(")", from);
      return this.#text[end - 1] === "\\" ? Number.POSITIVE_INFINITY : end;
    }
    if (sign !== "<") return undefined;
    // A chat's `<link|text>`; for a browser, `=` would begin an attribute.
    const [end, label] = [this.next(">", from), this.next("|", from)];
    if (this.next("=", Math.min(end, label)) < end) return Number.POSITIVE_INFINITY;
    return Math.min(end, label);
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
   * @param isBare it has no scheme, so that no value with spaces is one
   */
  isHostEnd(start: number, end: number, isBare = false): boolean {
    if (hasHostEnd(this.#text.slice(start, Math.min(end, start + 300)))) return true;
    const [path, blank] = [this.next("path", end), this.next("blank", end)];
    if (this.next("@", end) < Math.min(path, isBare ? blank : path)) return false;
    // These can't be of a host.
    if (/^(?:<|["']?>|\||\]\(http)/.test(this.#text.slice(end, end + 6))) return true;
    return this.next("host", end) >= Math.min(blank, path, this.#text.length);
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
}

function nextOf(find: (from: number) => number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = find(from);
    if (found < 0) found = Number.POSITIVE_INFINITY;
    return found;
  };
}
