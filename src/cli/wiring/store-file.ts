/** Which store a command works on: a SQLite file, or a PostgreSQL database with a folder for what belongs to it. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import { defaultStoreOf, stateStoreOf } from "../../gateway/state/state-files.ts";
import type { Store } from "../../runtime/index.ts";
import { toStoreServers } from "../../stores/postgres/connection-options.ts";
import { openSqliteStore } from "../../stores/sqlite/sqlite.ts";

/** Of every command with `--store`. */
export const STORE_OPTION =
  "sqlite:FILE or postgres://HOST/DATABASE; by default .sluicegate/sluicegate.db beside the policy file";

interface StorePlace {
  /** The SQLite file. For a database, where the file would be: its secrets, socket and mark lie in that folder. */
  readonly file: string;
  /** Null for a SQLite file. It may hold a password. */
  readonly url: string | null;
  /** For people. */
  readonly name: string;
}

/** The store as given, or the policy's own. @throws SluicegateError `usage` for what is neither kind of store. */
export function storePlaceOf(policyFile: string, store: string | undefined): StorePlace {
  if (store !== undefined && /^postgres(ql)?:/i.test(store)) {
    const name = `postgres://${toStoreServers(store).database}`;
    return { file: resolve(stateStoreOf(policyFile)), url: store, name };
  }
  const file = storeFileOf(policyFile, store);
  return { file, url: null, name: file };
}

/** The file of a store's place. @throws SluicegateError as `storePlaceOf` does. */
export function storeFileOf(policyFile: string, store: string | undefined): string {
  if (store === undefined) return defaultStoreOf(policyFile);
  if (/^postgres(ql)?:/i.test(store)) return storePlaceOf(policyFile, store).file;
  const file = store.replace(/^sqlite:/i, "");
  if (file !== "" && file !== ":memory:") return resolve(file);
  throw new SluicegateError("usage", "`--store` names no file.", {
    why: "A record that is found again after a restart lies in a file or in a database.",
    fix: "Name it, as in `--store sqlite:sluicegate.db` or `--store postgres://localhost/sluicegate`.",
  });
}

/** Whether a file has a store, or what is left of one: a log or a mark without its database is damage, and told as such. */
export const isStoreThere = ({ file, url }: StorePlace): boolean =>
  url !== null || [file, `${file}-wal`, `${file}-mark`].some((path) => existsSync(path));

/** Opens a store that is there already. */
export async function openStoreAt({ file, url }: StorePlace): Promise<Store> {
  if (url === null) return openSqliteStore(file, { mustExist: true });
  const { openPostgresStore } = await import("../../stores/postgres/postgres.ts");
  const markFolder = dirname(file);
  return await openPostgresStore(url, { mustExist: true, ...(existsSync(markFolder) && { markFolder }) });
}
