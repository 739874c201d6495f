/**
 * What an instruction file may import by `@path`, and which files a prompt may mention. Claude Code parses Markdown
 * for imports, and skips code and comments. Here every text counts that could be a path; paths that don't exist are
 * dropped later.
 */
import { createLoopShare } from "../../providers/workspace/internal.ts";

interface PathForm {
  /** What follows an `@`. */
  readonly path: RegExp;
  /** Longer texts, more paths or more characters in all readings make the whole text unclear. */
  readonly maxLength: number;
  readonly maxPaths: number;
}

/**
 * A path ends at white space; a space in it is written with a backslash.
 * THREAT: the agent removes `./` and `..` before it opens a path, so a text too long for a file name may still name
 * one.
 */
const IMPORT: PathForm = { path: /(?:[^\s\\]|\\ ){1,4096}/y, maxLength: 4096, maxPaths: 1000 };

/** People paste long texts with an `@` in them. */
const MENTION: PathForm = { path: /"[^"]{1,65536}|[^\s"]{1,65536}/y, maxLength: 65_536, maxPaths: 20_000 };

/** THREAT: a text of a few thousand `@` has as many millions of characters in its readings. */
const CHARACTERS_EACH = 16;
const MORE_CHARACTERS = 10_000;

/** The text of an instruction file. The agent knows UTF-16 by its first two bytes. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return new TextDecoder(!isUtf16 ? "utf-8" : first === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
}

/** The paths as written, in all readings; null if they are too many or too long. */
export async function importsIn(text: string): Promise<readonly string[] | null> {
  const readings = text.includes("<!--") ? [text, await withoutComments(text)] : [text];
  return pathsAfterAt(readings, IMPORT);
}

/** The same for a prompt, where `@"…"` may contain white space. */
export const mentionsIn = (prompt: string): Promise<readonly string[] | null> =>
  pathsAfterAt([prompt], MENTION);

async function pathsAfterAt(readings: readonly string[], form: PathForm): Promise<readonly string[] | null> {
  const [{ length } = ""] = readings;
  const maxCharacters = length * CHARACTERS_EACH + MORE_CHARACTERS;
  const runs = await runsAfterAt(readings, form, maxCharacters);
  return runs && pathsOf(runs, form, maxCharacters);
}

/** The texts that begin with a path. */
async function runsAfterAt(
  readings: readonly string[],
  { path, maxLength, maxPaths }: PathForm,
  maxCharacters: number,
): Promise<ReadonlySet<string> | null> {
  const [runs, isDue] = [new Set<string>(), createLoopShare()];
  let left = maxCharacters;
  for (const reading of readings)
    for (let at = reading.indexOf("@"); at >= 0; at = reading.indexOf("@", at + 1)) {
      const turn = isDue();
      if (turn !== null) await turn;
      path.lastIndex = at + 1;
      const [run = ""] = path.exec(reading) ?? [];
      left -= run.length;
      if (run.length >= maxLength || left < 0) return null;
      // Nearly every run is a path.
      if (runs.add(run.replace(/^"/, "")).size > maxPaths + 2) return null;
    }
  return runs;
}

/** Null where the paths have more characters than that. */
async function pathsOf(
  runs: ReadonlySet<string>,
  { maxPaths }: PathForm,
  maxCharacters: number,
): Promise<readonly string[] | null> {
  const [found, isDue] = [new Set<string>(), createLoopShare()];
  let left = maxCharacters;
  for (const run of runs)
    for (const path of pathsIn(run)) {
      const turn = isDue();
      if (turn !== null) await turn;
      found.add(path);
      left -= path.length;
      if (left < 0 || found.size > maxPaths) return null;
    }
  return [...found];
}

/**
 * If a comment is removed, the texts around it are joined.
 * THREAT: a regular expression would search for the end of each of a million unclosed comments.
 */
async function withoutComments(text: string): Promise<string> {
  const [kept, isDue]: [string[], ReturnType<typeof createLoopShare>] = [[], createLoopShare()];
  for (let at = 0; ; ) {
    const turn = isDue();
    if (turn !== null) await turn;
    const start = text.indexOf("<!--", at);
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) return kept.join("") + text.slice(at);
    kept.push(text.slice(at, start));
    at = end + 3;
  }
}

/** The path up to each character that may end it, its sentence or its part of Markdown. */
function* pathsIn(run: string): Generator<string> {
  const path = run.replaceAll("\\ ", " ");
  const ends = path.matchAll(/[^\p{L}\p{N}./\- ]|(?<=\w)[^\0-\x7f]/gu);
  yield* withoutPoints(path);
  for (const { index } of ends) yield* withoutPoints(path.slice(0, index));
}

/** A point, a slash, a dash or a space may be the path's last character, or follow it. */
function* withoutPoints(path: string): Generator<string> {
  if (path !== "" && path !== "/") yield path;
  let end = path.length;
  while (end > 0 && "./- ".includes(path.charAt(end - 1))) end -= 1;
  if (end > 0 && end < path.length) yield path.slice(0, end);
}
