/**
 * What an instruction file may import by `@path`. Claude Code reads Markdown for that, and leaves code and comments out;
 * here every reading counts in which a path could stand, and what isn't there is no import.
 */

/** A path goes on to white space; a space in it is written with a backslash. */
const IMPORT = /(?:[^\s\\]|\\ ){1,4096}/y;

/** THREAT: the agent takes `./` and `..` out before it opens a path, so one that is too long for a file may name one. */
const MAX_LENGTH = 4096;
const MAX_IMPORTS = 1000;

/** The paths as they are written, each in all its readings; null where they are too many, or too long. */
export function importsIn(text: string): readonly string[] | null {
  const found = new Set<string>();
  for (const reading of readingsOf(text)) {
    for (let at = reading.indexOf("@"); at >= 0; at = reading.indexOf("@", at + 1)) {
      IMPORT.lastIndex = at + 1;
      const [run = ""] = IMPORT.exec(reading) ?? [];
      if (run.length >= MAX_LENGTH) return null;
      for (const path of pathsIn(run)) found.add(path);
      if (found.size > MAX_IMPORTS) return null;
    }
  }
  return [...found];
}

/** What stands around a comment comes together once it is left out. */
const readingsOf = (text: string): readonly string[] =>
  text.includes("<!--") ? [text, withoutComments(text)] : [text];

/** THREAT: an expression would look for the end of each of a million comments that have none. */
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

/** The path up to each character that may end it, or its piece of Markdown. */
function* pathsIn(run: string): Generator<string> {
  const path = run.replaceAll("\\ ", " ");
  if (path !== "" && path !== "/") yield path;
  for (const { index } of path.matchAll(/[^\p{L}\p{N}./\- ]/gu)) if (index > 0) yield path.slice(0, index);
}
