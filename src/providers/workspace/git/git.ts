/**
 * Asks git, anew each time, so that no program named by the repository's settings runs, and no inherited environment
 * counts. An answer counts only if git succeeded and printed exactly what was asked for.
 */
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { MAX_GIT_BYTES, MAX_GIT_MS } from "../limits.ts";
import { canonicalPath, fromFolder } from "../paths/canonical-path.ts";
import { collectInShares, createLoopShare } from "../search/loop-share.ts";
import { hasGitFolder } from "./git-folder-name.ts";
import { defaultIgnoreFile, findGit, type GitProgram } from "./git-program.ts";
import { type GitSettings, isOn, isPersons, readSettings, SETTINGS_ARGUMENTS } from "./git-settings.ts";
import { knowsNoCase, mayHaveSettings, type Repository } from "./repository.ts";
import { type ProgramEnd, type Runner, sharedRunner } from "./runner.ts";

/**
 * `unclear`: git is missing, slow or broken, or prints something unexpected; `elsewhere`: it serves another folder.
 */
type Unanswered = { readonly answer: "unclear" | "elsewhere" };

export type FileAnswer = { readonly answer: "tracked" | "not-ignored" | "ignored" } | Unanswered;
export type FolderAnswer = { readonly answer: "not-ignored" | "ignored" } | Unanswered;
/** Paths from the top of the working tree; those that aren't text are counted instead of listed. */
export type ListAnswer =
  | { readonly answer: "listed"; readonly paths: readonly string[]; readonly unreadable: number }
  | Unanswered;

/** Nothing from the repository's settings is run or cached, and no bare repository is used. */
const HARDENED = [
  "--no-pager",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.untrackedCache=false",
  "-c",
  "safe.bareRepository=explicit",
  "-c",
  "protocol.allow=never",
];

/**
 * A path that matches nothing and shares no folder with others. Without it, git skips index entries outside of the
 * requested folder, and so an ignore file in a parent folder that exists only in the index.
 */
const NOTHING = ".git/index";

const LIST = [
  ...["ls-files", "-z", "-t", "--stage", "--full-name"],
  ...["--cached", "--others", "--exclude-standard", "--"],
];

/** Whether git lists a file, by its canonical path from the top of the working tree. */
export async function askAboutFile(repository: Repository, path: string): Promise<FileAnswer> {
  return asked(repository, async (run) => {
    const end = await run([...LIST, path, NOTHING], { literal: true });
    const entries = await toEntries(end);
    if (entries === null) return UNCLEAR;
    // INVARIANT: only the exact name counts; an unmerged file is listed once per side.
    const own = entries.filter((entry) => entry.path === path);
    // Tracked files of a folder that this file has replaced are listed too.
    if (entries.some((entry) => entry.path !== path && !entry.path?.startsWith(`${path}/`))) return UNCLEAR;
    if (own.length === 0) return { answer: "ignored" };
    if (own.some(({ isRepository }) => isRepository)) return UNCLEAR;
    return { answer: own.every(({ tag }) => tag === "?") ? "not-ignored" : "tracked" };
  });
}

/** Whether a folder, or a missing file, is ignored, with or without tracked files in it. */
export async function askAboutFolder(repository: Repository, path: string): Promise<FolderAnswer> {
  return asked(repository, async (run) => {
    // With `./`, a name that begins with `:` isn't read as a pathspec.
    const named = ["--", path === "" ? "." : `./${path}`];
    const ends = await Promise.all([
      run(["check-ignore", "-q", "--no-index", ...named]),
      // `--no-index` alone would miss an ignore file that exists only in the index, or a broken index.
      run(["check-ignore", "-q", ...named]),
    ]);
    if (!ends.every((end) => isQuiet(end) && end.stdout.length === 0)) return UNCLEAR;
    if (ends.every(({ code }) => code === 1)) return { answer: "not-ignored" };
    return ends.every(({ code }) => code === 0 || code === 1) ? { answer: "ignored" } : UNCLEAR;
  });
}

/** Whether git can answer about a repository. The working directory itself is never ignored. */
export async function askAboutRoot(repository: Repository): Promise<FolderAnswer> {
  return asked(repository, async (run) => {
    const [place, index] = await Promise.all([
      run(["rev-parse", "--is-inside-work-tree", "--show-prefix"]),
      run([...LIST, NOTHING], { literal: true }),
    ]);
    const isHere = isQuiet(place) && place.code === 0 && place.stdout.toString() === "true\n\n";
    return isHere && (await toEntries(index)) !== null ? { answer: "not-ignored" } : UNCLEAR;
  });
}

/** Warnings about ignore files in the tree and about folders that can't be opened. */
const OTHER_RULES =
  /^warning: (?:unable to access '(?:[^/\n][^\n]*\/)?\.gitignore'|could not open directory '[^/\n][^\n]*\/'): [^\n]+\n/gm;
const withoutOtherRules = (end: ProgramEnd): ProgramEnd => ({
  ...end,
  stderr: Buffer.from(end.stderr.toString("utf8").replaceAll(OTHER_RULES, "")),
});

/**
 * Git's list of a folder, by its canonical path from the top of the working tree. The caller must drop paths for
 * which `obstacleIn` finds ignore files that git can't read.
 */
export async function askForList(repository: Repository, folder: string): Promise<ListAnswer> {
  return asked(repository, async (run) => {
    const end = await run([...LIST, ...(folder === "" ? [] : [folder, NOTHING])], { literal: true });
    const entries = await toEntries(withoutOtherRules(end));
    if (entries === null) return UNCLEAR;
    const start = folder === "" ? "" : `${folder}/`;
    let unreadable = 0;
    const paths = new Set<string>();
    await collectInShares(entries, ({ path, isRepository }) => {
      if (path === null) unreadable += 1;
      else if (path.startsWith(start) && !isRepository) paths.add(path);
    });
    return { answer: "listed", paths: [...paths], unreadable };
  });
}

/**
 * What git lists in a repository under these names, in any folder and letter case; null if it fails. Git itself would
 * compare each path with each name, which takes many times as long as to list them all.
 */
export async function askForNames(
  repository: Repository,
  names: readonly string[],
): Promise<readonly string[] | null> {
  const program = await findGit([repository.top]).catch(() => null);
  if (program === null) return null;
  const run = runGit(sharedRunner(), program, repository, []);
  const list = ["ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard"];
  const end = await run(list).catch(() => null);
  const isWhole = end !== null && isQuiet(withoutOtherRules(end)) && end.code === 0;
  return isWhole ? namesIn(end.stdout, toNameTest(names)) : null;
}

/** Null if one of them leads out of the tree. */
async function namesIn(list: Buffer, isNamed: (name: string) => boolean): Promise<readonly string[] | null> {
  // Only few of a long list need be read as UTF-8.
  const text = list.toString("latin1");
  const found: string[] = [];
  const isDue = createLoopShare();
  for (let at = 0; at < text.length; ) {
    const turn = isDue();
    if (turn !== null) await turn;
    const stop = text.indexOf("\0", at);
    if (stop < 0) return null;
    const name = text.slice(at, stop);
    at = stop + 1;
    if (!isNamed(name)) continue;
    const bytes = Buffer.from(name, "latin1");
    const path = bytes.toString("utf8");
    if (LEADS_AWAY.test(path)) return null;
    if (Buffer.from(path).equals(bytes)) found.push(path);
  }
  return found;
}

/** `**` stands for anything, `*` for a part of a name. */
function toNameTest(names: readonly string[]): (path: string) => boolean {
  const read = names.map((name) =>
    name
      .replaceAll(/[.+^${}()|[\]\\?]/g, "\\$&")
      .replaceAll(/\*+/g, (stars) => (stars === "*" ? "[^/]*" : ".*")),
  );
  const expression = new RegExp(`(?:^|/)(?:${read.join("|")})$`, "is");
  return (path) => expression.test(path);
}

/** All settings that git reads in a repository, with their files, as pairs that end in NUL. */
export interface SettingsFound {
  readonly output: string;
  readonly program: GitProgram;
}

/** Null if git fails. */
export async function askForSettings(repository: Repository): Promise<SettingsFound | null> {
  const program = await findGit([repository.top]).catch(() => null);
  if (program === null) return null;
  const run = runGit(sharedRunner(), program, repository, []);
  const end = await run(["config", "-z", "--show-origin", "--list"]).catch(() => null);
  if (end === null || !isQuiet(end) || end.code !== 0) return null;
  return { output: end.stdout.toString("utf8"), program };
}

const UNCLEAR: Unanswered = { answer: "unclear" };

type Run = (args: readonly string[], how?: { readonly literal?: boolean }) => Promise<ProgramEnd>;
type Answered = FileAnswer | FolderAnswer | ListAnswer;

/**
 * Asks with the repository's settings and, if these may hide the user's, also with the user's. Only what both answers
 * allow is allowed.
 */
async function asked<Answer extends Answered>(
  repository: Repository,
  question: (run: Run) => Promise<Answer | Unanswered>,
): Promise<Answer | Unanswered> {
  try {
    const program = await findGit([repository.top]);
    if (program === null) return UNCLEAR;
    const run = (settings: readonly string[]): Run => runGit(sharedRunner(), program, repository, settings);
    const plain = run([]);
    const [first, own, place] = await Promise.all([
      question(plain),
      personsSettings(repository, program, plain),
      // Git splits this variable at colons.
      repository.top.includes(":") ? plain(["rev-parse", "--show-prefix"]) : null,
    ]);
    if (place !== null && place.stdout.toString() !== "\n") return UNCLEAR;
    if ("answer" in own) return own;
    return own.length === 0 ? first : stricter(first, await question(run(own)));
  } catch {
    return UNCLEAR;
  }
}

function runGit(
  runner: Runner,
  { file, env }: GitProgram,
  { top }: Repository,
  settings: readonly string[],
): Run {
  return (args, { literal = false } = {}) =>
    runner.run({
      file,
      args: [...HARDENED, ...settings, ...args],
      cwd: top,
      env: {
        ...env,
        // Git must not search in parent folders.
        GIT_CEILING_DIRECTORIES: dirname(top),
        ...(literal && { GIT_LITERAL_PATHSPECS: "1" }),
      },
      timeoutMs: MAX_GIT_MS,
      maxBytes: MAX_GIT_BYTES,
    });
}

/** Nothing, or warnings that a setting is old or that sparse patterns are slow. */
const HARMLESS =
  /^(?:(?:warning: (?:[\w.]+ is deprecated; use [\w.]+ instead|unrecognized (?:negative )?pattern: '.*'|disabling cone pattern matching)|hint: .*)\n)*$/;

/** Whether it ended by itself without warnings: git continues without rules that it can't read. */
const isQuiet = ({ code, timedOut, truncated, stderr }: ProgramEnd): boolean =>
  code !== null && !timedOut && !truncated && HARMLESS.test(stderr.toString("latin1"));

interface Entry {
  readonly tag: string;
  /** Null if it isn't text. */
  readonly path: string | null;
  /** Whether the index has another repository there, whose files aren't this one's. */
  readonly isRepository: boolean;
}

/** The mode of a submodule's commit in an index, in the output of `--stage`. */
const COMMIT = "160000 ";

// THREAT: git prints the names in an index unchanged, and a manipulated one may lead out of the tree.
const LEADS_AWAY = /^\/|(?:^|\/)\.{0,2}\/|(?:^|\/)\.{1,2}$/;

async function toEntries(end: ProgramEnd): Promise<readonly Entry[] | null> {
  const { stdout } = end;
  if (!isQuiet(end) || end.code !== 0) return null;
  const entries: Entry[] = [];
  const isDue = createLoopShare();
  for (let at = 0; at < stdout.length; ) {
    const turn = isDue();
    if (turn !== null) await turn;
    const stop = stdout.indexOf(0, at);
    const entry = stop === -1 ? null : toEntry(stdout.subarray(at, stop));
    if (entry === null) return null;
    entries.push(entry);
    at = stop + 1;
  }
  return entries;
}

/** `? name`, or `H 100644 object stage<TAB>name` for an index entry. */
function toEntry(bytes: Buffer): Entry | null {
  const [tag, space] = bytes.subarray(0, 2).toString("latin1");
  if (tag === undefined || !"HSM?".includes(tag) || space !== " ") return null;
  const start = tag === "?" ? 2 : bytes.indexOf(9) + 1;
  const name = bytes.subarray(start);
  const path = name.toString("utf8");
  if (start === 0 || path === "" || LEADS_AWAY.test(path)) return null;
  const isRepository = tag !== "?" && bytes.subarray(2, start).toString("latin1").startsWith(COMMIT);
  return { tag, path: Buffer.from(path).equals(name) ? path : null, isRepository };
}

/** Finding nothing is an answer too: exit code 1 and no output. */
function toSettings(end: ProgramEnd): GitSettings | null {
  if (!isQuiet(end) || end.code !== (end.stdout.length === 0 ? 1 : 0)) return null;
  return readSettings(end.stdout.toString("utf8"));
}

// THREAT: `core.worktree` makes git answer for the files of another folder.
async function servesThisTree({ top, gitFolder, bond }: Repository, settings: GitSettings): Promise<boolean> {
  // A worktree's repository may set its own.
  if (bond === "worktree") return true;
  const value = settings.worktree.at(-1)?.value;
  // Without the setting, a git folder that isn't the `.git` of a folder serves any working tree that names it.
  if (value === undefined) return bond === "place" || !hasGitFolder(gitFolder);
  const found = value === null ? null : await canonicalPath(fromFolder(gitFolder, value));
  return found?.kind === "found" && found.path === top;
}

/** What git itself takes for the tree: it ignores `core.worktree` in an included file, but not a worktree's own. */
const isTop = ({ top }: Repository, { stdout }: ProgramEnd): boolean =>
  stdout.equals(Buffer.from(`${top}\n`));

/**
 * The user's settings for a second question; empty if the repository's change none of them. THREAT: a repository's
 * `core.excludesFile` overrides the user's ignore file.
 */
async function personsSettings(
  repository: Repository,
  program: GitProgram,
  run: Run,
): Promise<readonly string[] | Unanswered> {
  const { gitFolder } = repository;
  const noCase = await knowsNoCase(gitFolder, await lstat(gitFolder, { bigint: true }));
  if (!noCase && !(await mayHaveSettings(repository))) return [];
  const [told, tree] = await Promise.all([run(SETTINGS_ARGUMENTS), run(["rev-parse", "--show-toplevel"])]);
  const settings = toSettings(told);
  if (settings === null) return UNCLEAR;
  if (!isQuiet(tree) || tree.code !== 0) return UNCLEAR;
  if (!(await servesThisTree(repository, settings)) || !isTop(repository, tree))
    return { answer: "elsewhere" };
  const { excludesFile, ignoreCase } = settings;
  const isHidden = excludesFile.some((setting) => !isPersons(setting));
  if (!isHidden && isOn(ignoreCase) === noCase) return [];
  const own = excludesFile.findLast(isPersons)?.value ?? defaultIgnoreFile(program);
  return ["-c", `core.excludesFile=${own}`, "-c", `core.ignoreCase=${noCase}`];
}

/** What both answers allow. */
function stricter<Answer extends Answered>(one: Answer | Unanswered, other: Answer | Unanswered) {
  if (one.answer === "listed" && other.answer === "listed") {
    const both = new Set(other.paths);
    return { ...one, paths: one.paths.filter((path) => both.has(path)) };
  }
  const order = ["elsewhere", "unclear", "ignored", "not-ignored", "tracked", "listed"];
  return order.indexOf(one.answer) <= order.indexOf(other.answer) ? one : other;
}
