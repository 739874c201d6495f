/**
 * ripgrep over files that were checked one by one. It opens them by their names, so what it says is only a hint: a
 * line counts where it stands in a descriptor of the checked file, and what is printed comes from there.
 */
import { SluicegateError } from "../errors/index.ts";
import { readUpTo } from "./examined-file.ts";
import { type ListedFile, openListed } from "./listed-file.ts";
import { type MatchEvent, readEvents } from "./ripgrep-events.ts";
import { sharedRunner } from "./runner.ts";
import { isBinary } from "./text-file.ts";

export interface SearchQuery {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** Lines of context. */
  readonly before: number;
  readonly after: number;
  /** The most matching lines that are wanted. */
  readonly limit: number;
}

export interface FoundLine {
  /** From 1 on. */
  readonly line: number;
  readonly text: string;
  /** False for a line of context. */
  readonly isMatch: boolean;
}

export interface FoundFile {
  readonly name: string;
  readonly lines: readonly FoundLine[];
}

export interface SearchResult {
  readonly files: readonly FoundFile[];
  /** Whether there may be more than what was found. */
  readonly truncated: boolean;
}

const TIME_LIMIT_MS = 20_000;
const LARGEST_FILE = 16 * 1024 * 1024;
const MOST_OUTPUT = 8 * 1024 * 1024;
/** What one program start takes of arguments, far below what any system allows. */
const BATCH_BYTES = 96 * 1024;
const LONGEST_LINE = 500;

/**
 * Searches files below a folder, in the order given.
 * @throws SluicegateError `invalid-request` for a pattern that ripgrep doesn't take, `not-ready` without ripgrep.
 */
export async function searchFiles(
  folder: string,
  files: readonly ListedFile[],
  query: SearchQuery,
  signal?: AbortSignal,
): Promise<SearchResult> {
  const program = await ripgrepPath();
  const deadline = performance.now() + TIME_LIMIT_MS;
  const found: FoundFile[] = [];
  let [left, truncated] = [query.limit, false];
  for (const batch of batchesOf(files)) {
    const timeoutMs = Math.ceil(deadline - performance.now());
    if (left <= 0 || timeoutMs <= 0) return { files: found, truncated: true };
    const end = await runRipgrep(program, folder, batch, query, timeoutMs, signal);
    truncated ||= end.truncated;
    for (const file of batch) {
      const events = end.events.get(file.name);
      if (events === undefined) continue;
      if (left <= 0) return { files: found, truncated: true };
      const lines = await verified(file, events, left);
      left -= lines.filter(({ isMatch }) => isMatch).length;
      if (lines.length > 0) found.push({ name: file.name, lines });
    }
  }
  return { files: found, truncated };
}

/** @throws SluicegateError `invalid-request` for a pattern that ripgrep doesn't take. */
async function runRipgrep(
  file: string,
  cwd: string,
  batch: readonly ListedFile[],
  query: SearchQuery,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<{ events: ReadonlyMap<string, readonly MatchEvent[]>; truncated: boolean }> {
  const end = await sharedRunner().run({
    file,
    args: [...argumentsFor(query), "--", ...batch.map(({ name }) => name)],
    cwd,
    // THREAT: RIPGREP_CONFIG_PATH and what else stands in the environment could change what is searched.
    env: {},
    timeoutMs,
    maxBytes: MOST_OUTPUT,
    ...(signal === undefined ? {} : { signal }),
  });
  const events = readEvents(end.stdout);
  if (end.code === 2 && events.size === 0) assertPattern(end.stderr.toString("utf8"));
  return { events, truncated: end.truncated || end.timedOut };
}

const argumentsFor = (query: SearchQuery): readonly string[] => [
  ...["--no-config", "--no-ignore", "--no-messages", "--json", "--encoding=none", "--no-mmap", "--crlf"],
  ...["--threads=2", `--max-filesize=${LARGEST_FILE}`, `--max-count=${query.limit + 1}`],
  query.ignoreCase ? "--ignore-case" : "--case-sensitive",
  ...(query.multiline ? ["--multiline", "--multiline-dotall"] : []),
  `--before-context=${query.before}`,
  `--after-context=${query.after}`,
  `--regexp=${query.pattern}`,
];

function assertPattern(problem: string): void {
  if (!/regex|pattern|syntax|literal/i.test(problem)) return;
  throw new SluicegateError("invalid-request", "This regular expression can't be used.", {
    why: problem.trim().replace(/^rg: /, "").slice(0, 500),
    fix: "Use the syntax of Rust's regular expressions, and escape what is meant literally.",
  });
}

/** The lines that really stand in the checked file, with their text from there. */
async function verified(
  file: ListedFile,
  events: readonly MatchEvent[],
  limit: number,
): Promise<readonly FoundLine[]> {
  const handle = await openListed(file);
  if (handle === null) return [];
  try {
    const bytes = await readUpTo(handle, LARGEST_FILE);
    if (isBinary(bytes)) return [];
    // THREAT: the name may have led ripgrep elsewhere. One line that differs, and the whole file is left out.
    const isThere = ({ offset, bytes: said }: MatchEvent): boolean =>
      bytes.subarray(offset, offset + said.length).equals(said);
    if (!events.every(isThere)) return [];
    return firstMatches(events.flatMap(toLines), limit);
  } finally {
    await handle.close();
  }
}

/** A match over several lines is several lines. */
const toLines = ({ line, bytes, isMatch }: MatchEvent): readonly FoundLine[] =>
  bytes
    .toString("utf8")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((text, index) => ({ line: line + index, text: shortened(text), isMatch }));

const shortened = (text: string): string =>
  text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE)} [… ${text.length - LONGEST_LINE} more]`;

function firstMatches(lines: readonly FoundLine[], limit: number): readonly FoundLine[] {
  let matches = 0;
  const end = lines.findIndex(({ isMatch }) => {
    matches += isMatch ? 1 : 0;
    return matches > limit;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function* batchesOf(files: readonly ListedFile[]): Generator<readonly ListedFile[]> {
  let [batch, size]: [ListedFile[], number] = [[], 0];
  for (const file of files) {
    if (file.size > LARGEST_FILE) continue;
    const length = Buffer.byteLength(file.name) + 9;
    if (size + length > BATCH_BYTES && batch.length > 0) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(file);
    size += length;
  }
  if (batch.length > 0) yield batch;
}

/** Looked up when first used: its package throws on a platform that it has no program for. */
async function ripgrepPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (cause) {
    throw new SluicegateError("not-ready", "Searching needs ripgrep, which isn't there.", {
      why: `Its package has no program for ${process.platform} on ${process.arch}, or was installed without it.`,
      fix: "Install `@vscode/ripgrep` with its optional dependencies, or work without searching.",
      cause,
    });
  }
}
