/** The workspace of a policy as one of the gateway's servers; what guards the gateway is kept from its tools. */
import type { Config } from "../config/index.ts";
import { secretFilesOf } from "../gateway/secrets.ts";
import type { ToolProvider } from "../session/index.ts";

/** What SQLite keeps beside a database. */
const BESIDE_STORE = ["", "-wal", "-shm", "-journal"] as const;

/** None where the policy has no workspace. @throws SluicegateError `usage` where its root is no folder. */
export async function openWorkspace(
  { file, workspace }: Pick<Config, "file" | "workspace">,
  storeFile: string,
): Promise<readonly ToolProvider[]> {
  if (workspace === null) return [];
  const { createWorkspace, createWorkspaceProvider } = await import("../workspace/index.ts");
  const store = BESIDE_STORE.map((ending) => storeFile + ending);
  const protect = [file, ...store, ...secretFilesOf(storeFile)];
  return [createWorkspaceProvider(createWorkspace({ root: workspace.root, protect }))];
}
