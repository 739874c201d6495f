/**
 * What a call of Claude Code's own tools touches, as a question to a workspace's tools. Those examine and never run
 * here: the agent runs its own, so whatever it would read differently asks.
 */
import type { AskCause } from "../../core/index.ts";
import type { HookEvent } from "./hook-event.ts";

/** What is to be examined before a call is decided. */
export interface FileCall {
  /** The tool of the policy that it is decided as. */
  readonly tool: string;
  /** Each is examined, and all that they ask is asked. */
  readonly examinations: readonly { readonly tool: string; readonly arguments: Record<string, unknown> }[];
  /** What asks whatever an examination finds. */
  readonly asks: readonly AskCause[];
  /** Whether what it would change can be shown. */
  readonly hasPreview: boolean;
  /** The folder that a command runs in, which is what it touches as far as anybody can tell; null for other tools. */
  readonly runsIn: string | null;
  /** What its search program goes through by itself; empty if it names its files. */
  readonly searches: readonly AgentSearch[];
}

/** What the agent's search program is given to find files by. */
export interface AgentSearch {
  /** Absolute. */
  readonly path: string;
  /** The patterns of `--glob`. They take in all that the agent's own take in, wherever the agent starts ripgrep. */
  readonly globs: readonly string[];
  /** Whether names are all that comes of it. */
  readonly isListing: boolean;
}

/** A call of a tool of the agent's, and where it works. */
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

/** What a call of one of the agent's file tools touches; null for a tool that is none of them. */
export const fileCallOf = (call: CalledTool): FileCall | null => READERS.get(call.tool)?.(call) ?? null;

const NOTHING = { asks: [], hasPreview: true, runsIn: null, searches: [] } as const;
const MAX_PATH_LENGTH = 4096;
const MAX_PATH_NAMES = 256;

/** Whether a path is longer than one that is examined: the system opens none of more characters. */
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

/** As an edit of the notebook's file; what the file becomes is the agent's own to make. */
function readNotebookEdit(event: CalledTool): FileCall {
  const { paths, asks } = placeOf(event, "notebook_path");
  const examinations = paths.map((path) => ({
    tool: "Edit",
    arguments: { file_path: path, old_string: "", new_string: "" },
  }));
  return { ...NOTHING, tool: "Edit", examinations, asks, hasPreview: false };
}

/** Names alone are listed. An absolute pattern takes the place of the path. */
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

/** What is no path, or longer than one that can be opened, can't be examined, and so is a fault. */
const unreadable = (paths: readonly unknown[]) =>
  paths.flatMap((path) =>
    typeof path === "string" && !isTooLong(path) ? [] : [{ tool: "list_dir", arguments: { path } }],
  );

/**
 * The folder that an absolute pattern begins in, empty for one that begins where it is asked; null in doubt. Behind
 * that folder a `!` would take in all but what is named.
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

/** Which files it reads is up to ripgrep: by a positive `glob`, also some that git ignores. */
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

/** What of a `glob` matters; null if versions of the agent split it differently. */
function globsOf(glob: unknown): readonly string[] | null {
  if (glob === undefined) return [];
  if (typeof glob !== "string" || glob === "" || /\s/.test(glob)) return null;
  if (/[{,]\//.test(glob)) return null;
  if (glob.includes(",") && !/^[^{},]*\{[^{}]*\}[^{},]*$/.test(glob)) return null;
  // One that leaves files out changes nothing for the rest.
  return glob.startsWith("!") ? [] : [anywhere(glob)];
}

/** A pattern with a `/` counts from the folder that ripgrep was started in, which nobody tells. */
const anywhere = (glob: string): string => (glob.includes("/") ? `**/${glob.replace(/^\/+/, "")}` : glob);

/** A path as the agent takes it, from where it works. What it would take in more than one way asks. */
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
 * THREAT: behind a link `..` leads elsewhere for the system than in the text, and the agent takes it in the text. Both
 * are examined.
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

/** The agent takes `~` for the home folder, cuts white space off, and composes characters. */
const isDoubtful = (path: string): boolean =>
  path.startsWith("~") || path !== path.trim() || path !== path.normalize("NFC") || path.includes("\\");
