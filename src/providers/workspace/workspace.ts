/** A working directory with its tools. */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import { sharedRunner } from "./git/runner.ts";
import type { Place } from "./paths/canonical-path.ts";
import { AGENT_SETTINGS } from "./paths/protected-paths.ts";
import { CREATE_DIR } from "./tools/create-dir.ts";
import { DELETE_FILE } from "./tools/delete-file.ts";
import { GLOB_TOOL, LIST_DIR, LIST_WORKING_TREE } from "./tools/list-dir.ts";
import { COUNT_TEXT_FILE_LINES, READ, READ_TEXT_FILE } from "./tools/read-file.ts";
import { RENAME } from "./tools/rename.ts";
import { BASH, RUN_COMMAND } from "./tools/run-command.ts";
import { GREP, SEARCH_BY_REGEX } from "./tools/search.ts";
import type { UnboundTool, WorkspaceTool } from "./tools/workspace-tool.ts";
import { EDIT, EDIT_TEXT_FILE, WRITE, WRITE_TEXT_FILE } from "./tools/write-file.ts";

/** The tools of a workspace, each under its plain name or under the one that coding agents know. */
const ALL_TOOLS: readonly UnboundTool[] = [
  READ_TEXT_FILE,
  COUNT_TEXT_FILE_LINES,
  LIST_DIR,
  LIST_WORKING_TREE,
  SEARCH_BY_REGEX,
  WRITE_TEXT_FILE,
  EDIT_TEXT_FILE,
  CREATE_DIR,
  DELETE_FILE,
  RENAME,
  RUN_COMMAND,
  READ,
  WRITE,
  EDIT,
  GLOB_TOOL,
  GREP,
  BASH,
];

/** A workspace's folder, and what its tools may not touch. */
export interface WorkspaceOptions {
  /** The working directory, absolute or relative to the program's. */
  readonly root: string;
  /**
   * What no agent may touch, even with an approval, existing or not: files, or folders with their content. Absolute, or
   * relative to `root`.
   */
  readonly protect?: readonly string[];
}

/** The tools of one working directory, as plain functions. */
export interface Workspace {
  /** Canonical. */
  readonly root: string;
  /** By name. */
  readonly tools: ReadonlyMap<string, WorkspaceTool>;
  /** Ends what its tools still run; none of them runs again. */
  close(): void;
}

let open = 0;

/** @throws SluicegateError `usage` if the root isn't a folder. */
export function createWorkspace({ root, protect = [] }: WorkspaceOptions): Workspace {
  const place = toPlace(root, protect);
  const ending = new AbortController();
  open += 1;
  // Starting it is cheapest now: this process only grows.
  sharedRunner().warm();
  const tools = ALL_TOOLS.map((tool) => endingWith(tool.bind(place), ending.signal));
  return {
    root: place.root,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    close: () => {
      if (ending.signal.aborted) return;
      ending.abort(closed());
      open -= 1;
      // All workspaces share the runner.
      if (open === 0) sharedRunner().close();
    },
  };
}

/** THREAT: an agent that may write without approval could remove its own hook. */
export const toProtected = (root: string, protect: readonly string[]): readonly string[] => [
  ...protect.map((path) => resolve(root, path)),
  AGENT_SETTINGS,
];

function toPlace(given: string, protect: readonly string[]): Place {
  const root = canonicalFolder(given);
  return { root, protect: toProtected(root, protect) };
}

/** A call that hasn't been made. */
export interface ApprovalQuestion {
  /** The working directory. */
  readonly root: string;
  /** A tool of the workspace, by its name. */
  readonly tool: string;
  /** The tool's arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Whether a tool's call needs approval. No side effects; never throws; true in doubt. */
export async function needsApproval({ root, tool, arguments: args }: ApprovalQuestion): Promise<boolean> {
  try {
    const found = ALL_TOOLS.find(({ name }) => name === tool);
    const place = toPlace(root, []);
    return found === undefined || (await found.bind(place).needsApproval(args));
  } catch {
    return true;
  }
}

/** The same tool, which ends with its workspace. */
function endingWith(tool: WorkspaceTool, ending: AbortSignal): WorkspaceTool {
  const both = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? ending : AbortSignal.any([signal, ending]);
  return {
    ...tool,
    examine: async (args, signal) => {
      ending.throwIfAborted();
      return tool.examine(args, both(signal));
    },
    execute: async (args, examined, signal) => {
      ending.throwIfAborted();
      return tool.execute(args, examined, both(signal));
    },
  };
}

function canonicalFolder(root: string): string {
  try {
    const found = realpathSync.native(root);
    if (statSync(found).isDirectory()) return found;
  } catch {
    // Said below.
  }
  throw new SluicegateError("usage", "The workspace has no folder.", {
    why: "Its `root` isn't there, or is no folder.",
    fix: "Name a folder that is there.",
  });
}

const closed = (): SluicegateError =>
  new SluicegateError("upstream-unavailable", "The workspace is closed.", {
    why: "Its program is ending.",
    fix: "Open another one.",
  });
