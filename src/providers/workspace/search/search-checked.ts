/** A search that skips files which need approval. */

import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import { checkTarget, type TargetCheck } from "../paths/check-path.ts";
import { type AllowReason, ask, type PathCheck } from "../paths/path-reason.ts";
import { toGlob } from "./glob.ts";
import { listAllowed } from "./list-allowed.ts";
import { type SearchedFile, searchFiles } from "./ripgrep.ts";

/** What to search for, and where. */
export interface SearchQuestion {
  /** The working directory. */
  readonly root: string;
  /** A file or a folder, absolute or relative to the root; left out, the root itself. */
  readonly path?: string | undefined;
  /** A regular expression as ripgrep takes it. */
  readonly pattern: string;
  /** Only files whose names match, such as `*.ts`. */
  readonly glob?: string | undefined;
  readonly ignoreCase?: boolean;
  /** Matching lines; 1000 by default. */
  readonly limit?: number;
  /** What is never searched: files, or folders with their content. */
  readonly protect?: readonly string[];
  readonly signal?: AbortSignal;
}

/** A line in which something was found. */
export interface Match {
  /** Canonical. */
  readonly path: string;
  /** From 1 on. */
  readonly line: number;
  readonly text: string;
}

/** The matches in files that need no approval; or that the path itself needs one. */
export type SearchAnswer =
  | {
      readonly effect: "allow";
      readonly reason: AllowReason;
      readonly resolved: string;
      readonly matches: readonly Match[];
      /** Whether there may be more than what was found. */
      readonly truncated: boolean;
    }
  | Extract<PathCheck, { effect: "ask" }>;

/**
 * Searches a file, or all files below a folder that need no approval, each opened as it was checked.
 * @throws SluicegateError `invalid-request` for an invalid pattern, `not-ready` without ripgrep.
 */
export async function searchChecked(question: SearchQuestion): Promise<SearchAnswer> {
  const { pattern, glob, ignoreCase = false, limit = 1000, signal } = question;
  const found = await filesFor(question);
  if (found.effect === "ask") return ask(found.reason, found.resolved);
  const { effect, reason, resolved } = found;
  const matches = glob === undefined ? () => true : toGlob(glob, true);
  const files = found.files.filter(({ name }) => matches(name));
  const query = { pattern, ignoreCase, limit, multiline: false, before: 0, after: 0 };
  const result = await searchFiles(files, query, signal);
  return {
    effect,
    reason,
    resolved,
    matches: result.files.flatMap(({ path, lines }) => lines.map(({ line, text }) => ({ path, line, text }))),
    truncated: result.truncated,
  };
}

type FilesFound =
  | (Extract<PathCheck, { effect: "allow" }> & {
      readonly files: readonly SearchedFile[];
    })
  | Extract<PathCheck, { effect: "ask" }>;

async function filesFor({ root, path, protect = [] }: SearchQuestion): Promise<FilesFound> {
  const file = await checkTarget({ root, path, protect, kind: "file" });
  if (isFolder(file)) return listAllowed({ root, path, protect });
  if (file.effect === "ask") return ask(file.reason, file.resolved);
  const { effect, reason, resolved, identity } = file;
  if (identity === null) return ask("missing", resolved);
  const size = (await lstat(resolved).catch(() => null))?.size ?? 0;
  const one = { path: resolved, name: basename(resolved), identity, size };
  return { effect, reason, resolved, files: [one] };
}

const isFolder = ({ effect, reason }: TargetCheck): boolean => effect === "ask" && reason === "wrong-kind";
