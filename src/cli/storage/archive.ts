/** `sluicegate archive`: moves old sessions out of the store into a file. */
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { archiveSessions } from "../../runtime/internal.ts";
import { withStore } from "../journal/journal-store.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printJson, printLine, styled } from "../terminal/terminal.ts";
import { STORE_OPTION, storePlaceOf } from "../wiring/store-file.ts";
import { assertFree } from "./write-once.ts";

interface ArchiveCommandOptions {
  readonly config: string;
  readonly store?: string;
  readonly before: string;
  readonly to?: string;
  readonly json?: true;
}

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Moves sessions in which nothing has happened for long into a file, with their whole chains, and deletes them from the store. Forks go with what they were forked from. What waits for a person, has open calls or is a principal's fallback stays. An archived session can't be used again; its head stays in the store. The gateway may go on running.",
    examples: [
      "sluicegate archive --before 90d",
      "sluicegate archive --before 365d --to /var/backups/sessions.jsonl",
    ],
    exits: {
      0: "archived, or nothing was old enough",
      2: "wrong usage, or a policy or store that can't be used",
    },
    json: "print { file, sessions, in_use } as one JSON document",
  })
    .requiredOption("--before <age>", "sessions in which nothing has happened for so long: 90d, 12h")
    .option("--to <file>", "the archive; by default archive-TIME.jsonl beside the store")
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .action(archive);
}

async function archive({ config, store: named, before, to, json }: ArchiveCommandOptions): Promise<void> {
  const now = new Date();
  const limit = new Date(now.getTime() - parseAge(before));
  const { policy } = await loadConfig(config, { unset: "unset" });
  const file = resolve(
    to ?? join(dirname(storePlaceOf(config, named).file), `archive-${stampOf(now)}.jsonl`),
  );
  assertFree(file);
  const { writeArchive } = await import("./archive-file.ts");
  const { archived, inUse } = await withStore(
    { config, ...(named !== undefined && { store: named }) },
    (store) =>
      archiveSessions({
        store,
        before: limit,
        now,
        policy,
        save: (sessions) => writeArchive(store, file, sessions),
      }),
  );
  const written = archived.length > 0 ? file : null;
  if (json) return printJson({ file: written, sessions: archived.length, in_use: inUse });
  if (written === null) printLine("Nothing is old enough to be archived.");
  else printLine(styled("green", "archived"), `: ${archived.length} sessions in ${written}`);
  if (inUse > 0) printLine(`${inUse} old sessions stay, since they or forks of theirs are in use.`);
}

/** A time as part of a file's name. */
export const stampOf = (time: Date): string => time.toISOString().replaceAll(/[:.]/g, "-");

const MS = { d: 86_400_000, h: 3_600_000 } as const;

function parseAge(age: string): number {
  const [, count, unit] = /^(\d{1,6})([dh])$/.exec(age) ?? [];
  if (count !== undefined && (unit === "d" || unit === "h") && Number(count) > 0)
    return Number(count) * MS[unit];
  throw new SluicegateError("usage", "`--before` is no age.", {
    why: "It is a number of days or hours, and greater than 0.",
    fix: "Write it as in `--before 90d` or `--before 12h`.",
  });
}
