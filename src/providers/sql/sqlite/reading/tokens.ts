/**
 * A statement's tokens, split as by SQLite's own tokenizer. It has no grammar: it distinguishes words, quoted names
 * and texts, and skips comments.
 */

export interface Token {
  /** `name` is a quoted name; `word` a keyword or an unquoted name. */
  readonly kind: "word" | "name" | "text" | "number" | "variable" | "symbol";
  /** As written; a name without its quotes. */
  readonly text: string;
  /** A word in upper case, for comparisons; otherwise empty. */
  readonly keyword: string;
  /** Where it starts and ends in the statement. */
  readonly start: number;
  readonly end: number;
  /** The number of open parentheses around it. */
  readonly depth: number;
}

const PATTERN = new RegExp(
  [
    "(?<space>[ \\t\\n\\f\\r\\uFEFF]+|--[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$))",
    // A blob isn't a text: in `x'''name'`, a name may follow.
    "(?<text>[xX]'[^']*'|'(?:[^']|'')*')",
    '(?<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\\[[^\\]]*\\])',
    "(?<number>(?:0[xX][0-9a-fA-F_]+|(?:[0-9][0-9_]*\\.?[0-9_]*|\\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?))",
    // THREAT: to SQLite `$a(/*)` is one variable, and no comment starts in it. Such names are refused.
    "(?<variable>\\?[0-9]*|[:@#$][A-Za-z0-9_$\\u0080-\\uFFFF]+(?![A-Za-z0-9_$\\u0080-\\uFFFF(]))",
    "(?<word>[A-Za-z_\\u0080-\\uFFFF][A-Za-z0-9_$\\u0080-\\uFFFF]*)",
    "(?<symbol>->>|->|\\|\\||<<|>>|<=|>=|<>|!=|==|[-+*/%&|<>=~(),.;])",
  ].join("|"),
  "y",
);

/** The tokens; null if a part isn't a token of SQLite, such as an unclosed quote. */
export function toTokens(sql: string): readonly Token[] | null {
  const tokens: Token[] = [];
  let depth = 0;
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < sql.length) {
    const start = PATTERN.lastIndex;
    const groups = PATTERN.exec(sql)?.groups;
    if (groups === undefined) return null;
    const found = Object.entries(groups).find(([, text]) => text !== undefined);
    if (found === undefined) return null;
    const [kind, text = ""] = found;
    if (kind === "space") continue;
    if (text === ")") depth -= 1;
    tokens.push(toToken(kind as Token["kind"], text, { start, end: PATTERN.lastIndex, depth }));
    if (text === "(") depth += 1;
  }
  return tokens;
}

function toToken(kind: Token["kind"], text: string, place: Pick<Token, "start" | "end" | "depth">): Token {
  // Some letters beyond ASCII have an upper case that is ASCII.
  const keyword = kind === "word" ? text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()) : "";
  return { kind, text: kind === "name" ? unquoted(text) : text, keyword, ...place };
}

function unquoted(name: string): string {
  const quote = name.charAt(0);
  const inner = name.slice(1, -1);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}

/** Whether a token may name something. A text in single quotes may, where SQLite expects a name. */
export const isNaming = (token: Token): boolean =>
  token.kind === "word" || token.kind === "name" || token.kind === "text";

/** The name that a token would mean, in one spelling for all that are equal to SQLite. */
export const namedBy = (token: Token): string =>
  foldName(token.kind === "text" ? unquoted(token.text) : token.text);

/** SQLite ignores the case of ASCII letters in names, and of no others. */
export const foldName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
