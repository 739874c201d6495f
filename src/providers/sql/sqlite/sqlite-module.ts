/** Node's own SQLite, or an error that explains what is missing: a static import would fail without a reason. */
import { SluicegateError } from "../../../errors/index.ts";

type SqliteModule = typeof import("node:sqlite");

/** @throws SluicegateError `usage` if there is no `node:sqlite`. */
export function loadSqlite(
  find: ((id: "node:sqlite") => SqliteModule | undefined) | undefined = process.getBuiltinModule,
): SqliteModule {
  const found = find?.("node:sqlite");
  if (found !== undefined) return found;
  throw new SluicegateError("usage", "The connectors can't be loaded in this runtime.", {
    why: `They need \`node:sqlite\`, which Node ${process.versions.node} doesn't have.`,
    fix: "Run the program with Node 24 or later.",
  });
}

export const { DatabaseSync, constants } = loadSqlite();
export type DatabaseSync = InstanceType<SqliteModule["DatabaseSync"]>;
