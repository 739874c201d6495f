/**
 * The workspace of one run of a role agent: only the role's tools; for each changed file the earlier hash is
 * recorded; and if the run is about one file, no other can be changed.
 */

import { hash } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { quoteName, WORKSPACE_TOOLS } from "../../core/index.ts";
import { readChecked } from "../../providers/workspace/index.ts";
import type { Examination, ToolProvider, ToolResult } from "../../runtime/index.ts";

/** The restrictions of a run. */
export interface WatchOptions {
  /** Names of its tools. */
  readonly tools: Iterable<string>;
  /** The only file that may be changed, canonical; null for any. */
  readonly only: string | null;
  /** Files whose earlier hash is known: SHA-256 (hex), or null if there was none. */
  readonly before: ReadonlyMap<string, string | null>;
}

export interface WatchedWorkspace {
  readonly provider: ToolProvider;
  /** The hash of each file before this run changed it, by its canonical path. */
  readonly before: ReadonlyMap<string, string | null>;
  /** Whether a call has changed something. */
  readonly wrote: boolean;
}

/** Watches a workspace. Closing the result doesn't close the shared workspace. */
export function watchWorkspace(workspace: ToolProvider, options: WatchOptions): WatchedWorkspace {
  const { only } = options;
  const names = new Set(options.tools);
  const tools = new Map([...workspace.tools].filter(([name]) => names.has(name)));
  const before = new Map(options.before);
  let wrote = false;
  /** Whether a call would or might change another file: without targets, nothing is known. */
  const leadsElsewhere = (tool: string, examined: Examination | undefined): boolean =>
    only !== null &&
    changes(tool) &&
    (workspace.examine === undefined || !(examined?.targets ?? []).every(({ path }) => path === only));

  const provider: ToolProvider = {
    id: workspace.id,
    ...(workspace.isOwn && { isOwn: true as const }),
    get status() {
      return workspace.status;
    },
    get problem() {
      return workspace.problem;
    },
    tools,
    settled: workspace.settled,
    examine: async (tool, args, signal) => {
      const examined = (await workspace.examine?.(tool, args, signal)) ?? { asks: [], targets: [] };
      // Such a call is refused before a person is asked.
      return leadsElsewhere(tool, examined) ? { ...examined, isProtected: true } : examined;
    },
    run: async (tool, args, given) => {
      const { examined } = given;
      // INVARIANT: a tool changes only the targets of its examination, and nothing if there are none. THREAT: the
      // model chooses the paths, and a gate that knows only the workspace itself doesn't know this run's limit.
      if (!tools.has(tool) || leadsElsewhere(tool, examined)) return elsewhere(tool);
      for (const { path, content } of changes(tool) ? (examined?.targets ?? []) : [])
        if (content !== undefined && !before.has(path)) before.set(path, content);
      const result = await workspace.run(tool, args, given);
      wrote ||= changes(tool) && !result.isError;
      return result;
    },
    watch: (listener) => workspace.watch(listener),
    close: async () => {},
  };
  return {
    provider,
    before,
    get wrote() {
      return wrote;
    },
  };
}

/** An unknown tool may change anything. */
const changes = (tool: string): boolean =>
  !Object.hasOwn(WORKSPACE_TOOLS, tool) || WORKSPACE_TOOLS[tool] !== "read";

const elsewhere = (tool: string): ToolResult => ({
  isError: true,
  content: [
    {
      type: "text",
      text: `${quoteName(tool)} changed nothing. This run is about one file, and the call leads elsewhere. Change that file alone, or say with \`report_impossible\` that it isn't enough.`,
    },
  ],
});

/** For a path without a readable file of a reasonable size: no file has this hash. */
const UNREADABLE = "unreadable";

/** The SHA-256 (hex) of a file; null if there is none. Never throws. */
async function hashOfFile(root: string, path: string): Promise<string | null> {
  try {
    const file = await readChecked({ root, path });
    if (file.effect === "allow") return hashOf(file.content);
    // Agents may not read it (any more), for example because git ignores it now. The comparison may.
    return file.reason === "missing" ? null : await hashOfBytes(path);
  } catch {
    return UNREADABLE;
  }
}

const MAX_BYTES = 64 * 1024 * 1024;

/** THREAT: others may put a link, a pipe or a huge file there meanwhile. None is followed, awaited or read. */
async function hashOfBytes(path: string): Promise<string> {
  if ((await realpath(path)) !== path) return UNREADABLE;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile() || found.size > MAX_BYTES) return UNREADABLE;
  return hashOf(await file.readFile());
}

export const hashOf = (content: Uint8Array): string => hash("sha256", content, "hex");

/** Those of the files that have changed; in doubt, a file has. */
export async function changedOf(
  root: string,
  before: ReadonlyMap<string, string | null>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    [...before].map(async ([path, was]) => ((await hashOfFile(root, path)) === was ? [] : [path])),
  );
  return found.flat();
}
