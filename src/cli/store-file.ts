import { dirname, join, resolve } from "node:path";
import { SluicegateError } from "../errors/index.ts";

/** The store's file: as given, or `sluicegate.db` beside the policy file. */
export function storeFileOf(policyFile: string, store: string | undefined): string {
  if (store === undefined) return join(dirname(policyFile), "sluicegate.db");
  if (/^postgres(ql)?:/.test(store)) {
    throw new SluicegateError("usage", "This version has no PostgreSQL store.", {
      why: "Its store is a SQLite file.",
      fix: "Use `--store sqlite:FILE`.",
    });
  }
  return resolve(store.replace(/^sqlite:/, ""));
}
