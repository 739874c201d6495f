/**
 * What a call of Claude Code's own tools touches, as examinations by a workspace's tools. The workspace's tools
 * examine and never run here, because the agent runs its own: paths that the agent may read differently need
 * approval.
 */
import type { AskCause } from "../../core/index.ts";
import type { HookEvent } from "./hook-event.ts";

/** What to examine before a call is decided. */
export interface FileCall {
  /** The tool of the policy as which it is decided. */
  readonly tool: string;
  /** All of them are examined, and all their causes count. */
  readonly examinations: readonly { readonly tool: string; readonly arguments: Record<string, unknown> }[];
  /** Causes that apply whatever an examination finds. */
  readonly asks: readonly AskCause[];
  /** Whether its change can be shown. */
  readonly hasPreview: boolean;
  /** The folder of a command, which is all that is known of what it touches; null for other tools. */
  readonly runsIn: string | null;
  /** Searches of its search program; empty if it names its files. */
  readonly searches: readonly AgentSearch[];
}

/** Parameters of the agent's search program. */
export interface AgentSearch {
  /** Absolute. */
  readonly path: string;
  /**
   * The patterns of `--glob`. They match everything that the agent's own patterns match, wherever the agent starts
   * ripgrep.
   */
  readonly globs: readonly string[];
  /** Whether the result contains only names. */
  readonly isListing: boolean;
}

/** A call of the agent's tool, and its working folder. */
export type CalledTool = Pick<HookEvent, "tool" | "arguments" | "cwd">;

type Reader = (call: CalledTool) => FileCall;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["Read", (event) => toFileCall(event, "Read", ["file_path"])],
  ["Write", (event) => toFileCall(event, "Write", ["file_path", "content"])],
  ["Edit", (event) => toFileCall(event, "Edit", ["file_path", "old_string", "new_string", "replace_all"])],
  ["NotebookEdit", readNotebookEdit],
  ["Glob", readGlob],
  ["Grep", readGrep],
  [
    "Bash",
    ({ arguments: { command }, cwd }) => ({
      ...NOTHING,
      tool: "Bash",
      runsIn: cwd,
      examinations: [{ tool: "Bash", arguments: { command } }],
    }),
  ],
]);

/** What a call of one of the agent's file tools touches; null for other tools. */
export const fileCallOf = (call: CalledTool): FileCall | null => READERS.get(call.tool)?.(call) ?? null;

const NOTHING = { asks: [], hasPreview: true, runsIn: null, searches: [] } as const;
const MAX_PATH_LENGTH = 4096;
const MAX_PATH_NAMES = 64;

/** Whether a path is too long to be examined; the system opens none of more characters. */
const isTooLong = (path: string): boolean =>
  path.length > MAX_PATH_LENGTH || path.split("/").length > MAX_PATH_NAMES;

const UNCLEAR: readonly AskCause[] = ["unclear-path"];

function toFileCall(event: CalledTool, tool: string, keys: readonly string[]): FileCall {
  const { paths, asks } = placeOf(event, "file_path");
  const given = keys.flatMap((key) => {
    const value = event.arguments[key];
    return Object.hasOwn(event.arguments, key) && value !== undefined ? [[key, value] as const] : [];
  });
  const args = Object.fromEntries(given);
  const examinations = paths.map((path) => ({ tool, arguments: { ...args, file_path: path } }));
  return { ...NOTHING, tool, examinations, asks };
}

/** Examined as an edit of the notebook's file, whose new content isn't known. */
function readNotebookEdit(event: CalledTool): FileCall {
  const { paths, asks } = placeOf(event, "notebook_path");
  const examinations = paths.map((path) => ({
    tool: "Edit",
    arguments: { file_path: path, old_string: "", new_string: "" },
  }));
  return { ...NOTHING, tool: "Edit", examinations, asks, hasPreview: false };
}

/** Only names are listed. An absolute pattern replaces the path. */
function readGlob(event: CalledTool): FileCall {
  const { pattern } = event.arguments;
  const { paths, asks } = placeOf(event, "path");
  const start = typeof pattern === "string" ? startOf(pattern) : null;
  const call = { ...NOTHING, tool: "Glob", examinations: unreadable(paths) };
  if (typeof pattern !== "string" || start === null)
    return { ...call, asks: UNCLEAR, searches: searchIn(paths, [], true) };
  if (start === "") return { ...call, asks, searches: searchIn(paths, [anywhere(pattern)], true) };
  const globs = [anywhere(pattern.slice(start.length))];
  return { ...call, asks, searches: searchIn([start], globs, true) };
}

const searchIn = (paths: readonly unknown[], globs: readonly string[], isListing: boolean): AgentSearch[] =>
  paths.flatMap((path) => (typeof path === "string" && !isTooLong(path) ? [{ path, globs, isListing }] : []));

/** Something that isn't a path, or is too long, can't be examined, and so is a fault. */
const unreadable = (paths: readonly unknown[]) =>
  paths.flatMap((path) =>
    typeof path === "string" && !isTooLong(path) ? [] : [{ tool: "list_dir", arguments: { path } }],
  );

/**
 * The folder in which an absolute pattern begins, empty for a relative one; null in doubt. After that folder, a `!`
 * would match all other names.
 */
function startOf(pattern: string): string | null {
  if (isTooLong(pattern) || isDoubtful(pattern) || pattern.includes("..") || /[{,]\/|(?:^|\/)!/.test(pattern))
    return null;
  if (!pattern.startsWith("/")) return "";
  const parts = pattern.split("/");
  const plain = parts.slice(
    0,
    parts.findIndex((part) => /[*?[\]{}!()]/.test(part)),
  );
  return plain.length === 0 ? null : plain.join("/") || "/";
}

/** ripgrep decides which files it reads: with a positive `glob`, also some that git ignores. */
function readGrep(event: CalledTool): FileCall {
  const { paths, asks } = placeOf(event, "path");
  const globs = globsOf(event.arguments.glob);
  return {
    ...NOTHING,
    tool: "Grep",
    examinations: unreadable(paths),
    asks: globs === null ? [...asks, "ignored-path"] : asks,
    searches: searchIn(paths, globs ?? [], false),
  };
}

/**
 * The relevant patterns of a `glob`; null in doubt. THREAT: versions of the agent split it differently, at white space
 * and at commas. The patterns of all these readings together match whatever one of them does.
 */
function globsOf(glob: unknown): readonly string[] | null {
  if (glob === undefined) return [];
  if (typeof glob !== "string" || glob === "" || isTooLong(glob)) return null;
  if (/[{,\s]\//.test(glob)) return null;
  const globs = [...new Set(readingsOfGlob(glob))];
  if (!globs.some((each) => each.startsWith("!"))) return globs.map(anywhere);
  // A pattern that excludes files changes nothing for the others. Beside another one, it may be its opposite.
  return globs.length === 1 ? [] : null;
}

function readingsOfGlob(glob: string): readonly string[] {
  const words = [glob, ...glob.split(/\s+/)];
  const parts = words.flatMap((word) => [word, ...word.split(COMMA_OUTSIDE_BRACES)]);
  return parts.filter((part) => part !== "");
}

const COMMA_OUTSIDE_BRACES = /,(?![^{}]*\})/;

/** A pattern with a `/` is relative to the folder in which ripgrep was started, which isn't known. */
const anywhere = (glob: string): string => (glob.includes("/") ? `**/${glob.replace(/^\/+/, "")}` : glob);

/** A path as the agent reads it, relative to its folder. An ambiguous one needs approval. */
function placeOf(
  { arguments: args, cwd }: CalledTool,
  key: string,
): { paths: readonly unknown[]; asks: readonly AskCause[] } {
  const given = Object.hasOwn(args, key) ? args[key] : undefined;
  if (given === undefined) return { paths: [key === "path" ? cwd : undefined], asks: [] };
  if (typeof given !== "string") return { paths: [given], asks: [] };
  const path = given.startsWith("/") ? given : `${cwd}/${given}`;
  if (isTooLong(path)) return { paths: [path], asks: UNCLEAR };
  return { paths: readingsOf(path), asks: isDoubtful(given) ? UNCLEAR : [] };
}

/**
 * THREAT: behind a link, the system resolves `..` differently from the text, and the agent uses the text. Both are
 * examined.
 */
function readingsOf(path: string): readonly string[] {
  const parts = path.split("/");
  if (!parts.includes("..")) return [path];
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return [`/${kept.join("/")}`, path];
}

/** The agent expands `~`, removes white space, and composes characters. */
const isDoubtful = (path: string): boolean =>
  path.startsWith("~") || path !== path.trim() || path !== path.normalize("NFC") || path.includes("\\");
