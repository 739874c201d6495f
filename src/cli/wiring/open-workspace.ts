/** The workspace of a policy as one of the gateway's servers; what guards the gateway is kept from its tools. */
import { basename, dirname, join, resolve } from "node:path";
import { secretFilesOf } from "../../gateway/state/secrets.ts";
import { isInStateFolder, STATE_FOLDER } from "../../gateway/state/state-files.ts";
import type { Config } from "../../policy-file/index.ts";
import type { ToolProvider } from "../../runtime/index.ts";
import { hookSocketOf } from "../hook/hook-socket.ts";

/** None where the policy has no workspace. @throws SluicegateError `usage` where its root is no folder. */
export async function openWorkspace(
  { files, workspace, databases }: Pick<Config, "files" | "workspace" | "databases">,
  storeFile: string,
): Promise<readonly ToolProvider[]> {
  if (workspace === null) return [];
  const { createWorkspace, createWorkspaceProvider } = await import("../../providers/workspace/index.ts");
  // What SQLite keeps beside the store is protected with it.
  // Named from where the command runs.
  const named = [...files, ...stateFilesOf(storeFile), ...databaseFilesOf(databases)];
  const protect = named.map((path) => resolve(path));
  return [createWorkspaceProvider(createWorkspace({ root: workspace.root, protect }))];
}

/** A store with all that belongs to it, and where it would lie before and after it is moved into its folder. */
export function stateFilesOf(storeFile: string): readonly string[] {
  const folder = isInStateFolder(storeFile) ? dirname(dirname(storeFile)) : dirname(storeFile);
  const older = join(folder, basename(storeFile));
  const stores = [storeFile, older];
  return [
    ...stores.flatMap((store) => [store, ...secretFilesOf(store), hookSocketOf(store)]),
    join(folder, STATE_FOLDER),
  ];
}

/**
 * The files of the databases, and what SQLite keeps beside them.
 * THREAT: an agent that read them as files would get past the labels of their columns.
 */
export const databaseFilesOf = (databases: Config["databases"]): readonly string[] =>
  [...databases.values()].flatMap(({ connection }) =>
    connection.type === "sqlite"
      ? ["", "-wal", "-shm", "-journal"].map((end) => `${connection.path}${end}`)
      : [],
  );
