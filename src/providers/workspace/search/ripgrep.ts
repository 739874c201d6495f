/**
 * Runs ripgrep over checked files. It opens them by name, so its output isn't trusted: a line counts only if it is
 * found through a descriptor of the checked file, and is printed from there.
 */
import { SluicegateError } from "../../../errors/index.ts";
import { type ProgramCall, sharedRunner } from "../git/runner.ts";
import {
  MAX_EXPRESSION_LENGTH,
  MAX_FOUND_BYTES,
  MAX_FOUND_LINE,
  MAX_SEARCH_MS,
  MAX_SEARCHED_BYTES,
} from "../limits.ts";
import { readUpTo } from "../paths/examined-file.ts";
import { type ExaminedPath, openExamined } from "../paths/open-checked.ts";
import { isBinary } from "../text/text-file.ts";
import { type MatchEvent, readEvents } from "./ripgrep-events.ts";

/** A checked file with its name relative to the searched folder. */
export interface SearchedFile extends ExaminedPath {
  readonly name: string;
  /** In bytes, if known. */
  readonly size?: number;
}

export interface SearchQuery {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** Context lines. */
  readonly before: number;
  readonly after: number;
  /** Matching lines that are wanted. */
  readonly limit: number;
  /** Whether the first matching line of each file is enough. */
  readonly onlyFirst?: boolean;
}

interface FoundLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** False for a context line. */
  readonly isMatch: boolean;
}

export interface FoundFile {
  readonly name: string;
  /** Canonical. */
  readonly path: string;
  readonly lines: readonly FoundLine[];
}

export interface SearchResult {
  readonly files: readonly FoundFile[];
  /** Whether there may be more than what was found. */
  readonly truncated: boolean;
}

/** Arguments of one program start, far below the limits of all systems. */
const BATCH_BYTES = process.platform === "win32" ? 24 * 1024 : 384 * 1024;

/**
 * Searches files in the given order.
 * @throws SluicegateError `invalid-request` for an invalid pattern, `not-ready` without ripgrep.
 */
export async function searchFiles(
  files: readonly SearchedFile[],
  query: SearchQuery,
  signal?: AbortSignal,
): Promise<SearchResult> {
  if (query.pattern.includes("\0") || query.pattern.length > MAX_EXPRESSION_LENGTH) throw unusablePattern();
  const file = await ripgrepPath();
  const deadline = performance.now() + MAX_SEARCH_MS;
  const found: FoundFile[] = [];
  let [left, truncated] = [query.limit, false];
  for (const batch of batchesOf(files)) {
    const timeoutMs = Math.ceil(deadline - performance.now());
    if (left <= 0 || timeoutMs <= 0) return { files: found, truncated: true };
    const call = { file, cwd: "/", timeoutMs, ...(signal === undefined ? {} : { signal }) };
    const end = await runRipgrep(call, batch, argumentsFor(query));
    const read = await readBatch(batch, end.events, left);
    found.push(...read.files);
    left -= read.matches;
    truncated ||= end.truncated || read.truncated;
  }
  return { files: found, truncated };
}

/** The files of a batch with verified lines, until there are enough. */
async function readBatch(
  batch: readonly SearchedFile[],
  events: ReadonlyMap<string, readonly MatchEvent[]>,
  limit: number,
): Promise<{ files: readonly FoundFile[]; matches: number; truncated: boolean }> {
  const files: FoundFile[] = [];
  let matches = 0;
  for (const file of batch) {
    const said = events.get(toArgument(file));
    if (said === undefined) continue;
    if (matches >= limit) return { files, matches, truncated: true };
    const { lines, truncated } = await verified(file, said, limit - matches);
    matches += lines.filter(({ isMatch }) => isMatch).length;
    if (lines.length > 0) files.push({ name: file.name, path: file.path, lines });
    if (truncated) return { files, matches, truncated };
  }
  return { files, matches, truncated: false };
}

/** @throws SluicegateError `invalid-request` for an invalid pattern. */
async function runRipgrep(
  call: Omit<ProgramCall, "args" | "env" | "maxBytes">,
  batch: readonly SearchedFile[],
  args: readonly string[],
): Promise<{ events: ReadonlyMap<string, readonly MatchEvent[]>; truncated: boolean }> {
  const end = await sharedRunner().run({
    ...call,
    args: [...args, "--", ...batch.map(toArgument)],
    // THREAT: RIPGREP_CONFIG_PATH and other variables could change what is searched.
    env: {},
    lane: "search",
    maxBytes: MAX_FOUND_BYTES,
  });
  const events = readEvents(end.stdout);
  if (end.code === 2 && events.size === 0) assertPattern(end.stderr.toString("utf8"));
  return { events, truncated: end.truncated || end.timedOut };
}

/** The globs of each file type that ripgrep knows. */
export async function typePatterns(): Promise<ReadonlyMap<string, readonly string[]>> {
  const file = await ripgrepPath();
  const args = ["--no-config", "--type-list"];
  const call = { file, args, cwd: "/", env: {}, timeoutMs: MAX_SEARCH_MS, maxBytes: MAX_FOUND_BYTES };
  const { stdout } = await sharedRunner().run(call);
  return new Map(
    stdout
      .toString("utf8")
      .split("\n")
      .map((line) => line.split(": "))
      .map(([type = "", patterns = ""]) => [type, patterns.split(", ")]),
  );
}

/** An absolute path, so that no name is read as an option, and the working folder doesn't matter. */
const toArgument = ({ path }: SearchedFile): string => path;

const argumentsFor = (query: SearchQuery): readonly string[] => [
  ...["--no-config", "--no-ignore", "--no-messages", "--json", "--encoding=none", "--no-mmap", "--crlf"],
  "--threads=2",
  `--max-count=${query.onlyFirst ? 1 : query.limit + 1}`,
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

const unusablePattern = (): SluicegateError =>
  new SluicegateError("invalid-request", "This regular expression can't be used.", {
    why: `It has more than ${MAX_EXPRESSION_LENGTH} characters, or a NUL among them.`,
    fix: "Use a shorter one, with `\\x00` where a NUL is meant.",
  });

/** The lines that are really in the checked file, with their text from there. */
async function verified(
  file: SearchedFile,
  events: readonly MatchEvent[],
  limit: number,
): Promise<FirstLines> {
  const handle = await openExamined(file).catch(() => null);
  if (handle === null) return NOTHING;
  try {
    const bytes = await readUpTo(handle, MAX_SEARCHED_BYTES + 1);
    if (bytes.length > MAX_SEARCHED_BYTES || isBinary(bytes)) return NOTHING;
    // THREAT: the name may have led ripgrep elsewhere. If one line differs, the whole file is dropped.
    const isThere = ({ offset, bytes: said }: MatchEvent): boolean =>
      bytes.subarray(offset, offset + said.length).equals(said);
    return events.every(isThere) ? firstMatches(events.flatMap(toLines), limit) : NOTHING;
  } finally {
    await handle.close();
  }
}

interface FirstLines {
  readonly lines: readonly FoundLine[];
  readonly truncated: boolean;
}

const NOTHING: FirstLines = { lines: [], truncated: false };

/** A match over several lines becomes several lines. */
const toLines = ({ line, bytes, isMatch }: MatchEvent): readonly FoundLine[] =>
  bytes
    .toString("utf8")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((text, index) => ({ line: line + index, text: shortened(text), isMatch }));

const shortened = (text: string): string =>
  text.length <= MAX_FOUND_LINE
    ? text
    : `${text.slice(0, MAX_FOUND_LINE)} [… ${text.length - MAX_FOUND_LINE} more]`;

function firstMatches(lines: readonly FoundLine[], limit: number): FirstLines {
  let matches = 0;
  const end = lines.findIndex(({ isMatch }) => {
    matches += isMatch ? 1 : 0;
    return matches > limit;
  });
  return end === -1 ? { lines, truncated: false } : { lines: lines.slice(0, end), truncated: true };
}

function* batchesOf(files: readonly SearchedFile[]): Generator<readonly SearchedFile[]> {
  let [batch, size]: [SearchedFile[], number] = [[], 0];
  for (const file of files) {
    // ripgrep's own size limit doesn't apply to files that are named.
    if (file.size !== undefined && file.size > MAX_SEARCHED_BYTES) continue;
    const length = Buffer.byteLength(file.path) + 9;
    if (size + length > BATCH_BYTES && batch.length > 0) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(file);
    size += length;
  }
  if (batch.length > 0) yield batch;
}

/** Found at first use: its package throws on an unsupported platform. */
export async function ripgrepPath(): Promise<string> {
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
