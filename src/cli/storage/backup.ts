/** `sluicegate backup FILE`: copies the store while it is used, and verifies the copy. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { type StoreReport, verifyStore } from "../../runtime/journal/verify-store.ts";
import type { Store } from "../../runtime/ports/store.ts";
import { missingStore } from "../journal/journal-store.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printJson, printLine, styled } from "../terminal/terminal.ts";
import { isStoreThere, STORE_OPTION, storePlaceOf } from "../wiring/store-file.ts";

export interface BackupOptions {
  readonly config: string;
  readonly store?: string;
  readonly json?: true;
}

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Copies a SQLite store into one file, as of one moment, and verifies the copy. Gateways may go on running. The copy has everything that was acknowledged before; the key and the token beside the store are not in it.",
    examples: [
      "sluicegate backup /var/backups/gate.db",
      "sluicegate backup gate.db --store sqlite:/var/lib/gate/gate.db",
    ],
    exits: { 0: "copied and verified", 2: "wrong usage, or a store that is missing, damaged or not SQLite" },
    json: "print { file, sessions, entries } as one JSON document",
  })
    .argument("<file>", "where to copy it; nothing may be there yet")
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .action(backUp);
}

async function backUp(to: string, { config, store, json }: BackupOptions): Promise<void> {
  const place = storePlaceOf(config, store);
  if (place.url !== null) throw notSqlite("copied", "pg_dump --schema=sluicegate");
  if (!isStoreThere(place)) throw missingStore(place.file, { config, ...(store !== undefined && { store }) });
  const file = resolve(to);
  const [{ copySqliteStore }, { openSqliteStore }, { writeOnce }] = await Promise.all([
    import("../../stores/sqlite/copy-store.ts"),
    import("../../stores/sqlite/sqlite.ts"),
    import("./write-once.ts"),
  ]);
  const { sessions, entries } = await writeOnce(file, async (draft) => {
    copySqliteStore(place.file, draft);
    const copy = openSqliteStore(draft, { mustExist: true });
    try {
      return await assertWhole(copy, "The store is damaged.");
    } finally {
      await copy.close();
    }
  });
  if (json) printJson({ file, sessions, entries });
  else
    printLine(
      styled("green", "backed up"),
      `: ${sessions} sessions, ${entries} entries in ${file}, verified`,
    );
}

/** @throws SluicegateError `store-damaged` */
export async function assertWhole(store: Store, message: string): Promise<StoreReport> {
  const report = await verifyStore(store);
  const [first] = report.problems;
  if (first === undefined) return report;
  throw new SluicegateError("store-damaged", message, {
    why: report.problems.length > 1 ? `${first.problem} There is more.` : first.problem,
    fix: "See `sluicegate journal verify`, and use a backup that is whole.",
  });
}

export const notSqlite = (what: string, tool: string): SluicegateError =>
  new SluicegateError("usage", `A PostgreSQL store isn't ${what} by this command.`, {
    why: "The database has its own tools, which do it in one snapshot.",
    fix: `Use \`${tool}\`, and see docs/scaling.md for what to do after a restore.`,
  });
