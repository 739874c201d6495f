/** `sluicegate restore FILE`: puts a backup in the store's place, and ends what may have gone on since. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { OPERATOR } from "../../runtime/index.ts";
import { endRestored } from "../../runtime/internal.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printJson, printLine, styled } from "../terminal/terminal.ts";
import { prepareStateFolder } from "../wiring/state-folder.ts";
import { isStoreThere, STORE_OPTION, storePlaceOf } from "../wiring/store-file.ts";
import { stampOf } from "./archive.ts";
import { assertWhole, type BackupOptions, notSqlite } from "./backup.ts";

interface RestoreOptions extends BackupOptions {
  readonly replace?: true;
}

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Verifies a backup and puts a copy of it in the place of a SQLite store. Since nobody knows what happened after the backup, all its sessions are ended, standing approvals are revoked, and everything is frozen until `sluicegate unfreeze --all`. Stop the gateways first.",
    examples: [
      "sluicegate restore /var/backups/gate.db",
      "sluicegate restore /var/backups/gate.db --replace",
    ],
    exits: {
      0: "restored",
      2: "wrong usage, a damaged backup, a store that is in use, or one that is there without --replace",
    },
    json: "print { store, replaced, ended_sessions, revoked_standing_approvals } as one JSON document",
  })
    .argument("<file>", "what `sluicegate backup` wrote")
    .option("--replace", "rename the store that is there, and put the backup in its place")
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .action(restore);
}

async function restore(from: string, { config, store, replace, json }: RestoreOptions): Promise<void> {
  const place = storePlaceOf(config, store);
  if (place.url !== null) throw notSqlite("restored", "pg_restore");
  const backup = resolve(from);
  if (!existsSync(backup) || existsSync(`${backup}-wal`)) throw notABackup(backup);
  const { policy } = await loadConfig(config, { unset: "unset" });
  const isThere = isStoreThere(place);
  if (isThere && replace !== true) throw alreadyThere(place.file);
  const file = resolve(isThere ? place.file : await prepareStateFolder({ config, store, log: () => {} }));
  const replaced = isThere ? `${file}.replaced-${stampOf(new Date())}` : null;
  const { putSqliteStore } = await import("../../stores/sqlite/copy-store.ts");
  let ended = { sessions: 0, standing: 0 };
  await putSqliteStore({
    backup,
    file,
    replacedName: replaced,
    prepare: async (copy) => {
      await assertWhole(copy, "The backup is damaged.");
      ended = await endRestored({ store: copy, policy, by: OPERATOR });
    },
  });
  const { sessions, standing } = ended;
  if (json) {
    printJson({ store: file, replaced, ended_sessions: sessions, revoked_standing_approvals: standing });
    return;
  }
  printLine(styled("green", "restored"), `: ${file}`);
  if (replaced !== null) printLine(`  The store that was there is now ${replaced}.`);
  printLine(`  ${sessions} sessions were ended, and ${standing} standing approvals revoked.`);
  printLine(
    "  Everything is frozen. End the agents that worked since the backup, set the freezes that you need,",
  );
  printLine("  then let the others go on: `sluicegate freeze --list`, `sluicegate unfreeze ID`.");
}

const notABackup = (file: string): SluicegateError =>
  new SluicegateError("usage", `\`${file}\` is no backup.`, {
    why: existsSync(file)
      ? "It has a write-ahead log, so it is a store that is used or a copy of its files."
      : "The file isn't there.",
    fix: "Name a file that `sluicegate backup` wrote.",
  });

const alreadyThere = (file: string): SluicegateError =>
  new SluicegateError("usage", "There is a store already.", {
    why: `\`${file}\` or what belongs to it is there, and a backup would undo what happened since.`,
    fix: "Stop the gateways, and use `--replace`: the store is renamed, and kept.",
  });
