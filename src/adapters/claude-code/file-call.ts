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
  /** Whether it goes through files by itself, by whatever rules its search program has. */
  readonly isSearch: boolean;
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
    ({ arguments: { command } }) => ({
      ...NOTHING,
      tool: "Bash",
      examinations: [{ tool: "Bash", arguments: { command } }],
    }),
  ],
]);

/** What a call of one of the agent's file tools touches; null for a tool that is none of them. */
export const fileCallOf = (call: CalledTool): FileCall | null => READERS.get(call.tool)?.(call) ?? null;

const NOTHING = { asks: [], hasPreview: true, isSearch: false } as const;
const UNCLEAR: readonly AskCause[] = ["unclear-path"];

function toFileCall(event: CalledTool, tool: string, keys: readonly string[]): FileCall {
  const { path, asks } = placeOf(event, "file_path");
  const given = keys.flatMap((key) => {
    const value = event.arguments[key];
    return Object.hasOwn(event.arguments, key) && value !== undefined ? [[key, value] as const] : [];
  });
  const args = { ...Object.fromEntries(given), file_path: path };
  return { ...NOTHING, tool, examinations: [{ tool, arguments: args }], asks };
}

/** As an edit of the notebook's file; what the file becomes is the agent's own to make. */
function readNotebookEdit(event: CalledTool): FileCall {
  const { path, asks } = placeOf(event, "notebook_path");
  const args = { file_path: path, old_string: "", new_string: "" };
  return {
    ...NOTHING,
    tool: "Edit",
    examinations: [{ tool: "Edit", arguments: args }],
    asks,
    hasPreview: false,
  };
}

/** Names alone are listed, so the folders count that it begins in. */
function readGlob(event: CalledTool): FileCall {
  const { pattern } = event.arguments;
  const { path, asks } = placeOf(event, "path");
  const start = typeof pattern === "string" ? startOf(pattern) : null;
  const folders = start === null || start === "" ? [path] : [path, start];
  return {
    ...NOTHING,
    tool: "Glob",
    examinations: folders.map((folder) => ({ tool: "list_dir", arguments: { path: folder } })),
    asks: start === null ? UNCLEAR : asks,
  };
}

/** The folder that an absolute pattern begins in, empty for one that begins where it is asked; null in doubt. */
function startOf(pattern: string): string | null {
  if (isDoubtful(pattern) || pattern.includes("..") || /[{,]\//.test(pattern)) return null;
  if (!pattern.startsWith("/")) return "";
  const parts = pattern.split("/");
  const plain = parts.slice(
    0,
    parts.findIndex((part) => /[*?[\]{}!()]/.test(part)),
  );
  return plain.length === 0 ? null : plain.join("/") || "/";
}

/**
 * THREAT: a positive `glob` makes ripgrep search files that git ignores, and so does an ignore file of its own.
 */
function readGrep(event: CalledTool): FileCall {
  const { path, asks } = placeOf(event, "path");
  const { glob } = event.arguments;
  const isNarrowing = glob === undefined || (typeof glob === "string" && /^![^\s,]*$/.test(glob));
  return {
    ...NOTHING,
    tool: "Grep",
    examinations: [{ tool: "Grep", arguments: { pattern: ".", path } }],
    asks: isNarrowing ? asks : [...asks, "ignored-path"],
    isSearch: true,
  };
}

/** A path as the agent takes it, from where it works. What it would take in more than one way asks. */
function placeOf(
  { arguments: args, cwd }: CalledTool,
  key: string,
): { path: unknown; asks: readonly AskCause[] } {
  const given = Object.hasOwn(args, key) ? args[key] : undefined;
  if (given === undefined) return { path: key === "path" ? cwd : undefined, asks: [] };
  if (typeof given !== "string") return { path: given, asks: [] };
  const path = given.startsWith("/") ? given : `${cwd}/${given}`;
  return { path, asks: isDoubtful(given) ? UNCLEAR : [] };
}

/** The agent takes `~` for the home folder, cuts white space off, and composes characters. */
const isDoubtful = (path: string): boolean =>
  path.startsWith("~") || path !== path.trim() || path !== path.normalize("NFC") || path.includes("\\");
