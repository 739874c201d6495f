/**
 * The least that makes a row of a hash chain durable: a worker thread that commits whatever came in meanwhile as one
 * transaction of SQLite (WAL, `synchronous=FULL`). Loaded by that thread too.
 */
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

export interface ChainRow {
  readonly session: string;
  readonly seq: number;
  readonly hash: string;
  readonly body: string;
}

export interface ChainWriter {
  /** Resolves once the next row of the session's chain is on the disk. */
  append(session: string, body: string): Promise<void>;
}

export function openChainWriter(file: string): ChainWriter {
  const worker = new Worker(new URL(import.meta.url), { workerData: file });
  // The server that waits for its rows keeps the process running.
  worker.unref();
  const heads = new Map<string, { seq: number; hash: string }>();
  let next: { rows: ChainRow[]; done: (() => void)[] } = { rows: [], done: [] };
  let committing: (() => void)[] | null = null;
  const flush = (): void => {
    if (committing !== null || next.rows.length === 0) return;
    committing = next.done;
    worker.postMessage(next.rows);
    next = { rows: [], done: [] };
  };
  worker.on("message", () => {
    const done = committing ?? [];
    committing = null;
    for (const resolve of done) resolve();
    flush();
  });
  return {
    append: (session, body) => {
      const head = heads.get(session) ?? { seq: 0, hash: "" };
      heads.set(session, head);
      head.seq += 1;
      head.hash = hash("sha256", head.hash + body, "hex");
      next.rows.push({ session, seq: head.seq, hash: head.hash, body });
      return new Promise((resolve) => {
        next.done.push(resolve);
        if (next.rows.length === 1) setImmediate(flush);
      });
    },
  };
}

function commitRows(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE rows (session TEXT, seq INTEGER, hash TEXT, body TEXT, PRIMARY KEY (session, seq)) WITHOUT ROWID;
  `);
  const insert = database.prepare("INSERT INTO rows VALUES (?, ?, ?, ?)");
  parentPort?.on("message", (rows: readonly ChainRow[]) => {
    database.exec("BEGIN IMMEDIATE");
    for (const { session, seq, hash, body } of rows) insert.run(session, seq, hash, body);
    database.exec("COMMIT");
    parentPort?.postMessage(null);
  });
}

if (!isMainThread) commitRows(workerData);
