/** Where a gateway answers hooks: a socket beside its store, which its owner alone can open. */
import { basename, dirname } from "node:path";
import { stateFileOf } from "../../gateway/state/state-files.ts";

/** The socket's path. */
export const hookSocketOf = (storeFile: string): string => stateFileOf(storeFile, "sock");

/** What the hook is served at. */
export const HOOK_PATH = "/hook/claude-code";

/** The most bytes of an event. */
export const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Does something at the socket's folder, by the socket's name alone: a path of a socket has about a hundred characters
 * on any system, and a store may lie deeper.
 */
export function atSocket<Result>(socket: string, work: (name: string) => Result): Result {
  const before = process.cwd();
  process.chdir(dirname(socket));
  try {
    return work(`./${basename(socket)}`);
  } finally {
    process.chdir(before);
  }
}
