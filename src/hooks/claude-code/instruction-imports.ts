/**
 * What an instruction file may import by `@path`. Claude Code parses Markdown for that, and skips code and comments.
 * Here every text counts that could be a path; paths that don't exist are dropped later.
 */

/** A path ends at white space; a space in it is written with a backslash. */
const IMPORT = /(?:[^\s\\]|\\ ){1,4096}/y;

/**
 * THREAT: the agent removes `./` and `..` before it opens a path, so a text too long for a file name may still name
 * one.
 */
const MAX_LENGTH = 4096;
const MAX_IMPORTS = 1000;
/** THREAT: a text of a few thousand `@` has as many millions of characters in its readings. */
const CHARACTERS_EACH = 16;
const MORE_CHARACTERS = 10_000;

/** The paths as written, in all readings; null if they are too many or too long. */
export function importsIn(text: string): readonly string[] | null {
  const runs = new Set<string>();
  const maxCharacters = text.length * CHARACTERS_EACH + MORE_CHARACTERS;
  let left = maxCharacters;
  for (const reading of readingsOf(text))
    for (let at = reading.indexOf("@"); at >= 0; at = reading.indexOf("@", at + 1)) {
      IMPORT.lastIndex = at + 1;
      const [run = ""] = IMPORT.exec(reading) ?? [];
      left -= run.length;
      if (run.length >= MAX_LENGTH || left < 0) return null;
      runs.add(run);
    }
  return pathsOf(runs, maxCharacters);
}

/** Null where the paths have more characters than that. */
function pathsOf(runs: ReadonlySet<string>, maxCharacters: number): readonly string[] | null {
  const found = new Set<string>();
  let left = maxCharacters;
  for (const run of runs)
    for (const path of pathsIn(run)) {
      found.add(path);
      left -= path.length;
      if (left < 0 || found.size > MAX_IMPORTS) return null;
    }
  return [...found];
}

/** If a comment is removed, the texts around it are joined. */
const readingsOf = (text: string): readonly string[] =>
  text.includes("<!--") ? [text, withoutComments(text)] : [text];

/** THREAT: a regular expression would search for the end of each of a million unclosed comments. */
function withoutComments(text: string): string {
  let kept = "";
  for (let at = 0; ; ) {
    const start = text.indexOf("<!--", at);
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + 3;
  }
}

/** The path up to each character that may end it or its part of Markdown. */
function* pathsIn(run: string): Generator<string> {
  const path = run.replaceAll("\\ ", " ");
  if (path !== "" && path !== "/") yield path;
  for (const { index } of path.matchAll(/[^\p{L}\p{N}./\- ]/gu)) if (index > 0) yield path.slice(0, index);
}
