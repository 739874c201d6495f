/** Which file a command's store is. */
import { resolve } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import { defaultStoreOf } from "../../gateway/state/state-files.ts";

/** Of every command with `--store`. */
export const STORE_OPTION = "sqlite:FILE; by default .sluicegate/sluicegate.db beside the policy file";

/** The store's file: as given, or the policy's own. @throws SluicegateError `usage` for what is no SQLite file. */
export function storeFileOf(policyFile: string, store: string | undefined): string {
  if (store === undefined) return defaultStoreOf(policyFile);
  if (/^postgres(ql)?:/i.test(store)) {
    throw new SluicegateError("usage", "This version has no PostgreSQL store.", {
      why: "It keeps its record in a SQLite file.",
      fix: "Use `--store sqlite:FILE`.",
    });
  }
  const file = store.replace(/^sqlite:/i, "");
  if (file !== "" && file !== ":memory:") return resolve(file);
  throw new SluicegateError("usage", "`--store` names no file.", {
    why: "A record that is found again after a restart lies in a file.",
    fix: "Name the file, as in `--store sqlite:sluicegate.db`.",
  });
}
