/** Searches files by regular expressions, without what needs approval. */
import { SluicegateError } from "../../../errors/index.ts";
import { MAX_SEARCH_LINES } from "../limits.ts";
import type { Place } from "../paths/canonical-path.ts";
import { examineContent, type FolderContent, filesOf } from "../paths/examine-folder.ts";
import { toGlob } from "../search/glob.ts";
import { collectInShares } from "../search/loop-share.ts";
import {
  type FoundFile,
  type SearchQuery,
  type SearchResult,
  searchFiles,
  typePatterns,
} from "../search/ripgrep.ts";
import { flag, integer, oneOf, optionalPath, optionalText, text, type Values } from "./arguments.ts";
import { boundedLines, relativeTo, shownName, textResult } from "./results.ts";
import { type Found, toolOf } from "./workspace-tool.ts";

type Output = "content" | "files_with_matches" | "count";
const OUTPUTS: readonly Output[] = ["content", "files_with_matches", "count"];

interface Searching {
  readonly content: FolderContent;
  readonly query: SearchQuery;
  readonly globs: readonly ((name: string) => boolean)[];
  readonly type: string | undefined;
  readonly output: Output;
  readonly isNumbered: boolean;
}

const WHERE = "A file or a folder, relative to the workspace or absolute; left out, the workspace itself.";
const PATTERN = text("The regular expression, in ripgrep's syntax.");
const GLOB = optionalText("Only files whose names match this glob pattern, such as `*.ts` or `src/**`.");
const TYPE = optionalText("Only files of this type, as ripgrep calls it, such as `ts` or `py`.");
const MULTILINE = flag("Whether a match may span several lines, and `.` match a line end.");
const CONTEXT = { minimum: 0, maximum: 100 };
const AT_MOST = { minimum: 1, maximum: MAX_SEARCH_LINES };

const PLAIN = {
  pattern: PATTERN,
  path: optionalPath(WHERE, "filepath", "dir_path"),
  glob: GLOB,
  type: TYPE,
  ignore_case: flag("Whether upper and lower case are the same."),
  multiline: MULTILINE,
  before: integer("Lines to show before each match.", CONTEXT),
  after: integer("Lines to show after each match.", CONTEXT),
  output: oneOf(
    "What is shown: matching lines, names of files, or how many lines match in each.",
    OUTPUTS,
    "content",
  ),
  limit: integer("The most matching lines; 1000 where it is left out.", AT_MOST),
};

export const SEARCH_BY_REGEX = toolOf({
  name: "search_by_regex",
  description:
    "Searches the files of the workspace by a regular expression. What needs an approval, such as ignored files, isn't searched.",
  parameters: PLAIN,
  examine: (place, args: Values<typeof PLAIN>) => {
    const { pattern, ignore_case, multiline, before = 0, after = 0, limit = 1000, output, type } = args;
    const query = { pattern, ignoreCase: ignore_case, multiline, before, after, limit };
    return examine(place, args, { query, type, output, isNumbered: true });
  },
  execute: (place, searching, signal) => search(place, searching, signal),
});

const CODING = {
  pattern: PATTERN,
  path: optionalPath(WHERE, "file_path"),
  glob: GLOB,
  type: TYPE,
  output_mode: oneOf(
    "What is shown: matching lines, names of files, or how many lines match in each.",
    OUTPUTS,
    "files_with_matches",
  ),
  "-i": flag("Whether upper and lower case are the same."),
  "-n": flag("Whether lines are shown with their numbers.", true),
  "-A": integer("Lines to show after each match.", CONTEXT),
  "-B": integer("Lines to show before each match.", CONTEXT),
  "-C": integer("Lines to show around each match.", CONTEXT),
  multiline: MULTILINE,
  head_limit: integer("The most lines or files that are shown.", AT_MOST),
};

export const GREP = toolOf({
  name: "Grep",
  description:
    "Searches the files of the workspace by a regular expression, with ripgrep. What needs an approval, such as ignored files, isn't searched.",
  parameters: CODING,
  examine: (place, args: Values<typeof CODING>) => {
    const around = args["-C"] ?? 0;
    const query = {
      pattern: args.pattern,
      ignoreCase: args["-i"],
      multiline: args.multiline,
      before: args["-B"] ?? around,
      after: args["-A"] ?? around,
      limit: args.head_limit ?? 1000,
    };
    return examine(place, args, { query, type: args.type, output: args.output_mode, isNumbered: args["-n"] });
  },
  execute: (place, searching, signal) => search(place, searching, signal),
});

async function examine(
  place: Place,
  { path, glob }: { readonly path: string; readonly glob: string | undefined },
  wanted: Omit<Searching, "content" | "globs">,
): Promise<Found<Searching>> {
  const globs = glob === undefined ? [] : [toGlob(glob, true)];
  const content = await examineContent(place, path, true, (name) => globs.every((matches) => matches(name)));
  return { ...content.shown, state: { ...wanted, content, globs } };
}

async function search(
  place: Place,
  { content, query, globs, type, output, isNumbered }: Searching,
  signal?: AbortSignal,
) {
  const files = await filesOf(place, content, signal);
  const typed = type === undefined ? [] : [anyOf(await patternsOf(type))];
  const patterns = [...globs, ...typed];
  const wanted = await collectInShares(files, (file) =>
    patterns.every((matches) => matches(file.name)) ? file : undefined,
  );
  const result = await searchFiles(wanted, queryFor(output, query), signal);
  if (result.files.length === 0)
    return textResult(result.truncated ? "No matches found in time" : "No matches found");
  return textResult(boundedLines(linesOf(place, result, output, isNumbered, query.limit), MORE));
}

/** If no lines are shown, the limit counts files, and context isn't needed. */
const queryFor = (output: Output, query: SearchQuery): SearchQuery =>
  output === "content"
    ? query
    : { ...query, before: 0, after: 0, limit: MAX_SEARCH_LINES, onlyFirst: output === "files_with_matches" };

const MORE = "[There is more: narrow the search.]";

function* linesOf(
  { root }: Place,
  { files, truncated }: SearchResult,
  output: Output,
  isNumbered: boolean,
  limit: number,
): Generator<string> {
  const nameOf = ({ path }: FoundFile): string => shownName(relativeTo(root, path));
  const shown = output === "content" ? files : files.slice(0, limit);
  for (const file of shown) {
    if (output === "files_with_matches") yield nameOf(file);
    else if (output === "count")
      yield `${nameOf(file)}:${file.lines.filter(({ isMatch }) => isMatch).length}`;
    else yield* contentOf(nameOf(file), file, isNumbered);
  }
  if (truncated || shown.length < files.length) yield MORE;
}

/** In grep's format: `:` for a match, `-` for context, `--` for omitted lines. */
function* contentOf(name: string, { lines }: FoundFile, isNumbered: boolean): Generator<string> {
  const hasContext = lines.some(({ isMatch }) => !isMatch);
  let last: number | null = null;
  for (const { line, text, isMatch } of lines) {
    if (hasContext && last !== null && line > last + 1) yield "--";
    const mark = isMatch ? ":" : "-";
    yield isNumbered ? `${name}${mark}${line}${mark}${text}` : `${name}${mark}${text}`;
    last = line;
  }
}

async function patternsOf(type: string): Promise<readonly string[]> {
  const patterns = (await typePatterns()).get(type);
  if (patterns !== undefined) return patterns;
  throw new SluicegateError("invalid-request", "There is no such type of files.", {
    why: "ripgrep doesn't know the `type` that was given.",
    fix: "Use `glob` instead, such as `*.ts`.",
  });
}

function anyOf(patterns: readonly string[]): (name: string) => boolean {
  const globs = patterns.map((pattern) => toGlob(pattern, true));
  return (name) => globs.some((matches) => matches(name));
}
