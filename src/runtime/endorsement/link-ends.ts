/**
 * Where a link in a text ends. Programs differ: Markdown and HTML name its end, and where neither does, a link goes on
 * to white space. THREAT: what is behind the end goes to the same host, or makes it another one, so in doubt a link is
 * longer.
 */

/** How a link ends that begins behind one of these. */
const CLOSING = new Map([
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["<", ">"],
]);

/** What `next` looks for by these names: white space, what may go on with a host, and what ends it. */
const PATTERNS = new Map([
  [" ", /[\t\n\f\r ]/g],
  ["host", /[\p{L}\p{M}\p{N}%@&=_-]/gu],
  ["path", /[/?#\\]/g],
]);

/** Values of attributes, to their end. THREAT: browsers take spaces in one for a part of a link. */
const ATTRIBUTES = /=\s*(?:(?<quote>")[^"<>]*|(?<quote>')[^'<>]*)/g;
/** How many characters before a link are looked at for a sign behind which it begins. */
const BEFORE = 100;

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
  readonly #attributes: Iterator<RegExpExecArray>;
  #attribute: RegExpExecArray | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#attributes = text.matchAll(ATTRIBUTES);
    this.#attribute = this.#attributes.next().value;
  }

  /** Where the link ends whose first character is at `start`, looked for from `from`. Starts never decrease. */
  of(start: number, from = start): LinkEnd {
    const before = this.#text.slice(Math.max(0, start - BEFORE), start);
    const space = Math.min(this.next(" ", from), this.#text.length);
    const whole = (end: number): LinkEnd => ({
      end: this.#hostEnd(start, Math.min(end, space)),
      isWhole: true,
    });
    const attribute = this.#attributeAt(start);
    const trimmed = before.replace(/[\0- ]+$/, "");
    if (attribute === undefined && trimmed === "" && start > BEFORE) return { end: space, isWhole: false };
    const closing = attribute ?? CLOSING.get(trimmed.at(-1) ?? "");
    if (closing !== undefined) {
      const end = Math.min(
        this.next(closing, from),
        closing === ">" ? this.next("|", from) : Number.POSITIVE_INFINITY,
      );
      const mayHaveSpaces = attribute !== undefined || /(?:\(\s*["']|<)$/.test(trimmed);
      return end < space || !mayHaveSpaces ? whole(end) : { end: space, isWhole: end > this.#text.length };
    }
    if (before.endsWith("](")) return whole(this.#destinationEnd(from));
    // A link as the text of another one, which counts by itself.
    const label = before.endsWith("[") ? this.next("](http", from) : Number.POSITIVE_INFINITY;
    return whole(Math.min(label, this.next("<", from)));
  }

  /**
   * The end of a link that may be a host alone. THREAT: `"https://acme.example"@evil.example` leads to the second host,
   * and `"https://acme.example"x%2eexample` to a longer one, wherever programs ignore the sign behind the first.
   */
  #hostEnd(start: number, end: number): number {
    const space = Math.min(this.next(" ", end), this.#text.length);
    if (end >= space || hasHostEnd(this.#text.slice(start, Math.min(end, start + 300)))) return end;
    // These can't be of a host, but of a user's name before one.
    const isSafe = /^(?:<|["']?>|\||\]\(http)/.test(this.#text.slice(end, end + 6));
    const goesOn = this.next(isSafe ? "@" : "host", end);
    return goesOn < Math.min(space, this.next("path", end)) ? space : end;
  }

  /** The quote of the attribute in whose value a link begins. */
  #attributeAt(start: number): string | undefined {
    const endOf = ({ 0: { length }, index }: RegExpExecArray): number => index + length;
    while (this.#attribute && endOf(this.#attribute) < start) this.#attribute = this.#attributes.next().value;
    const isInside = this.#attribute !== undefined && this.#attribute.index < start;
    return isInside ? this.#attribute?.groups?.quote : undefined;
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
