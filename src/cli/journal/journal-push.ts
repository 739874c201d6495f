/**
 * `sluicegate journal push`: sends each entry to where operators look, at least once and in order. How far it has come
 * lies in a file, so that it goes on there after a restart or a kill.
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SluicegateError } from "../../errors/index.ts";
import { parseJson } from "../../json/parse-json.ts";
import { propertyOf, textIn } from "../../json/plain-data.ts";
import type { FeedEntry, Store } from "../../runtime/ports/store.ts";
import { createLog, type Log, type LogFormat, untilSignal } from "../terminal/lasting.ts";
import { storePlaceOf } from "../wiring/store-file.ts";
import type { JournalOptions } from "./journal.ts";
import { withStore } from "./journal-store.ts";
import { type PushTarget, toTarget } from "./push-targets.ts";

export interface PushOptions extends JournalOptions {
  readonly to: string;
  readonly cursor?: string;
  readonly once?: true;
  readonly logFormat: LogFormat;
}

interface Cursor {
  readonly position: number;
  readonly hash: string;
}

const BATCH = 200;
/** The store is looked at this often. */
const POLL_MS = 1000;
const MAX_BACK_OFF_MS = 60_000;

/** Pushes until a signal comes, or with `once` until everything has arrived. */
export function push(options: PushOptions): Promise<void> {
  const target = toTarget(options.to, process.env);
  const file = options.cursor ?? cursorFileOf(options);
  if (!existsSync(dirname(file))) throw noFolder(dirname(file));
  const stop = new AbortController();
  void untilSignal().then(() => stop.abort());
  return withStore(options, async (store) => {
    await assertSameStore(store, readCursor(file), file);
    await pushAll(store, target, file, {
      signal: stop.signal,
      log: createLog(options.logFormat),
      once: options.once === true,
    });
  });
}

/** One for each target, in the folder of the store's secrets. */
function cursorFileOf({ config, store, to }: PushOptions): string {
  const { file } = storePlaceOf(config ?? "", store);
  return join(dirname(file), `push-${createHash("sha256").update(to).digest("hex").slice(0, 16)}.json`);
}

interface Pushing {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly once: boolean;
}

async function pushAll(
  store: Store,
  target: PushTarget,
  file: string,
  { signal, log, once }: Pushing,
): Promise<void> {
  let { position } = readCursor(file) ?? { position: 0 };
  let failures = 0;
  let size = BATCH;
  log(`pushes to ${target.name}, from position ${position}`);
  while (!signal.aborted) {
    let sent = size;
    try {
      const batch = await store.feed(position, size);
      const last = batch.at(-1);
      if (last === undefined) {
        if (once) return;
        await pause(POLL_MS, null, { signal }).catch(() => {});
        continue;
      }
      sent = batch.length;
      await target.send(batch, signal);
      // INVARIANT: only what has arrived is behind the cursor; a kill before this line sends the batch again.
      writeCursor(file, last);
      if (failures > 0) log(`${target.name} takes entries again, from position ${position}`);
      failures = 0;
      size = Math.min(BATCH, size * 2);
      position = last.position;
    } catch (cause) {
      if (signal.aborted) return;
      failures += 1;
      // A receiver that refuses long bodies, or is too slow for them, gets shorter ones.
      size = Math.max(1, Math.floor(sent / 2));
      log(
        `could not push from position ${position} to ${target.name}: ${wordsOf(cause)}; tries again`,
        "error",
      );
      await pause(backOffMs(failures), null, { signal }).catch(() => {});
    }
  }
}

/** Why a try failed. What a fetch failed of lies in its cause. */
function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}

const backOffMs = (failures: number): number => Math.min(MAX_BACK_OFF_MS, 500 * 2 ** Math.min(failures, 10));

function readCursor(file: string): Cursor | null {
  if (!existsSync(file)) return null;
  const kept: unknown = parseJson(readFileSync(file, "utf8"));
  const position = propertyOf(kept, "position");
  const hash = textIn(kept, "hash");
  if (Number.isSafeInteger(position) && hash !== null) return { position: Number(position), hash };
  throw new SluicegateError("usage", `The file ${file} isn't a cursor.`, {
    why: "It must hold a position and a hash, as this command writes it.",
    fix: "Delete it to push everything again, or name another one with `--cursor`.",
  });
}

function writeCursor(file: string, { position, entry }: FeedEntry): void {
  const draft = `${file}.new`;
  const descriptor = openSync(draft, "w", 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify({ position, hash: entry.hash })}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}

/** @throws SluicegateError `store-damaged` where what was pushed last isn't there as it was. */
async function assertSameStore(store: Store, cursor: Cursor | null, file: string): Promise<void> {
  if (cursor === null) return;
  const [found] = await store.feed(cursor.position - 1, 1);
  if (found !== undefined && (found.position > cursor.position || found.entry.hash === cursor.hash)) return;
  throw new SluicegateError("store-damaged", "The store isn't the one that was pushed before.", {
    why: `At position ${cursor.position} it has ${found === undefined ? "no entry" : "another entry"}: it was replaced, or an older one was restored.`,
    fix: `To push all of this one, delete ${file} or name another file with \`--cursor\`.`,
  });
}

const noFolder = (folder: string): SluicegateError =>
  new SluicegateError("usage", `There is no folder ${folder}.`, {
    why: "How far the push has come is kept there.",
    fix: "Name a file in a folder that is there with `--cursor`.",
  });
