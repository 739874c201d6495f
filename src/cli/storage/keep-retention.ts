/** Archives or deletes ended sessions that the policy keeps no longer, while a gateway runs. */
import { randomInt } from "node:crypto";
import { dirname, join } from "node:path";
import type { Policy } from "../../core/index.ts";
import type { RetentionConfig } from "../../policy-file/index.ts";
import type { Store } from "../../runtime/index.ts";
import { archiveSessions, type SealedValues } from "../../runtime/internal.ts";
import type { Log } from "../terminal/lasting.ts";
import { stampOf } from "./archive.ts";

export interface RetentionOptions {
  readonly store: Store;
  /** Beside it lie the archives. */
  readonly storeFile: string;
  readonly retention: RetentionConfig;
  readonly policy: () => Pick<Policy, "lattice" | "version">;
  /** Writes into the gateways' own journal. */
  readonly values: Pick<SealedValues, "write">;
}

const EVERY_MS = 6 * 3600 * 1000;
/** Gateways that were started together don't all begin at once: two at a time lose nothing, but one of them fails. */
const MAX_DELAY_MS = 10 * 60 * 1000;

/** Applies it from time to time. Resolves `stop` once nothing of it runs any more. */
export function keepRetention(options: RetentionOptions, log: Log): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = applyRetention(options, new Date()).then(
      (sessions) => {
        if (sessions > 0) log(`retention: ${sessions} ended sessions: ${options.retention.action}d`);
      },
      (cause: unknown) => log(`retention: ${cause}`, "error"),
    );
    timer = setTimeout(run, EVERY_MS).unref();
  };
  let timer = setTimeout(run, randomInt(MAX_DELAY_MS)).unref();
  return {
    stop: () => {
      clearTimeout(timer);
      return running;
    },
  };
}

/** Answers how many sessions were archived or deleted. @throws SluicegateError as the store and the archive do */
export async function applyRetention(options: RetentionOptions, now: Date): Promise<number> {
  const { store, storeFile, retention, policy, values } = options;
  const { lattice, version } = policy();
  const before = new Date(Math.max(0, now.getTime() - retention.endedMs));
  const { archived } = await archiveSessions({
    store,
    before,
    endedOnly: true,
    now,
    policy: { lattice, version },
    save: async (sessions) => {
      const file = `archive-${stampOf(now)}.jsonl`;
      const isKept = retention.action === "archive";
      if (isKept) {
        const { writeArchive } = await import("./archive-file.ts");
        await writeArchive(store, join(dirname(storeFile), file), sessions);
      }
      const data = { action: retention.action, sessions: sessions.length, ...(isKept && { file }) };
      await values.write([], { kind: "sessions-retired", data });
    },
  });
  return archived.length;
}
