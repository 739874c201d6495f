/** An archive: the chains of sessions as lines of JSON, and how many they are. */
import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { SluicegateError } from "../../errors/index.ts";
import type { Store } from "../../runtime/index.ts";
import { type ArchivedSession, entriesOf } from "../../runtime/internal.ts";
import { type ArchiveEnd, verifyArchive } from "../../runtime/journal/verify-archive.ts";
import type { StoreReport } from "../../runtime/journal/verify-store.ts";
import { toExported } from "../journal/journal-entry.ts";
import { writeOnce } from "./write-once.ts";

/** Writes an archive, and verifies what was written before it gets its name. */
export const writeArchive = (
  store: Store,
  file: string,
  sessions: readonly ArchivedSession[],
): Promise<void> =>
  writeOnce(file, async (draft) => {
    const descriptor = openSync(draft, "w");
    try {
      let entries = 0;
      for (const { session } of sessions) {
        let lines = "";
        for await (const entry of entriesOf(store, session)) {
          lines += `${JSON.stringify(toExported(session, entry))}\n`;
          entries += 1;
        }
        writeSync(descriptor, lines);
      }
      const end: ArchiveEnd = { archived_sessions: sessions.length, archived_entries: entries };
      writeSync(descriptor, `${JSON.stringify(end)}\n`);
    } finally {
      closeSync(descriptor);
    }
    const { problems } = await verifyArchiveFile(draft, store);
    const [problem] = problems;
    if (problem !== undefined)
      throw new SluicegateError("store-failed", "The archive can't be written.", {
        why: `What was written isn't what was to be archived. ${problem.problem}`,
        fix: "Run `sluicegate journal verify`, see that the disk is well, and try again. Nothing was deleted.",
      });
  });

/** Verifies an archive; against the store where there is one. */
export function verifyArchiveFile(file: string, store: Store | null): Promise<StoreReport> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  if (store === null) return verifyArchive(lines);
  return verifyArchive(lines, async (session, { seq, hash }) => {
    const [kept] = await store.read(session, seq - 1, 1);
    return kept?.hash === hash;
  });
}
