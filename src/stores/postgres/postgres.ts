/**
 * A store in a PostgreSQL database that any number of processes share. Each append is one round trip and one
 * transaction, and waits for none of another session. Nothing of a session lies in a connection.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { SluicegateError } from "../../errors/index.ts";
import type { Runner, RunOrder, Store } from "../../runtime/index.ts";
import { assertArchived, toAppendRequest, toAppendRequests, toCount } from "../append-request.ts";
import { closedStore } from "../store-errors.ts";
import { createMark, isMarked, readMark, type StoreMark, type StorePoint } from "../store-mark.ts";
import { createWatchers } from "../watchers.ts";
import { toStoreServers } from "./connection-options.ts";
import { type Connections, openConnections } from "./connections.ts";
import { createLeases } from "./leases.ts";
import { findDamage } from "./postgres-damage.ts";
import { toPostgresError, wentBack } from "./postgres-errors.ts";
import { createReads, text } from "./postgres-reads.ts";
import { migrate } from "./postgres-schema.ts";
import { append, prepareAppend, prune, stick, wasPruned } from "./postgres-writes.ts";

/** How a PostgreSQL store is opened. */
export interface PostgresStoreOptions {
  /** Refuse with `store-damaged` where the database has no store, instead of beginning a new one. */
  readonly mustExist?: boolean;
  /** A folder of this process's machine for the mark that shows a database which went back. None: no mark. */
  readonly markFolder?: string;
  /**
   * A digest of the secret key of this process. The first one's is kept; another is refused with `usage`, since tokens and
   * approvals of one gateway would mean nothing to another.
   */
  readonly sharedKey?: string;
  /** Connections at once. 10 if left out. */
  readonly maxConnections?: number;
  /** Timeout of one operation, in milliseconds. 5,000 if left out. */
  readonly timeoutMs?: number;
}

/** A store in a database, and what processes on it need of each other. */
export interface PostgresStore extends Store {
  /** Tells the other processes that this one lives, as long as it does. */
  holdRunner(id: string): Promise<Runner & { release(): void }>;
  /**
   * The order of runs over all processes on the store, by leases: of one session one after the other, as they came. The
   * turn of a process that is gone passes on after `leaseMs` (15,000 if left out).
   */
  runOrder(options?: { readonly leaseMs?: number }): RunOrder;
}

/**
 * Opens the store in a PostgreSQL database, such as `postgres://user:password@host/database`, and makes its tables where
 * they are missing, in the schema `sluicegate`. Of several hosts (`host1,host2`), the one that takes writes is used. What the
 * URL leaves out comes from `PGHOST`, `PGUSER`, `PGPASSWORD` and so on. Rejects with SluicegateError `usage` for a URL that can't be used, `store-damaged` where the database lost what
 * it had acknowledged or has no store though it must, and `store-failed` where it can't be reached.
 */
export async function openPostgresStore(
  url: string,
  options: PostgresStoreOptions = {},
): Promise<PostgresStore> {
  const { mustExist = false, markFolder, sharedKey, maxConnections = 10, timeoutMs = 5000 } = options;
  const servers = toStoreServers(url);
  const markBase = markFolder === undefined ? null : markBaseOf(markFolder, servers.database);
  // INVARIANT: read before the database is, which others go on writing to: it has all that the mark has.
  const marked = markBase === null ? null : readMark(markBase);
  const connections = await openConnections({ servers, maxConnections, timeoutMs });
  try {
    await migrate(connections, { mustExist: mustExist || marked !== null });
    if (marked !== null) await assertHas(connections, marked);
    if (sharedKey !== undefined) await assertSharedKey(connections, sharedKey);
    return createStore(connections, markBase === null ? null : createMark(markBase));
  } catch (error) {
    await connections.close();
    throw toPostgresError(error, "be opened");
  }
}

/** The mark's name depends on the database, not on the user. */
const markBaseOf = (folder: string, database: string): string =>
  join(folder, `postgres-${createHash("sha256").update(database).digest("hex").slice(0, 16)}`);

async function assertHas(connections: Connections, marked: StorePoint): Promise<void> {
  const rows = await connections.read("SELECT hash FROM sluicegate.events WHERE position = $1", [
    marked.position,
  ]);
  if (rows.some((row) => isMarked(marked, text(row, "hash")))) return;
  if (!(await wasPruned(connections, marked))) throw wentBack();
}

function createStore(connections: Connections, mark: StoreMark | null): PostgresStore {
  const reads = createReads(connections);
  const watchers = createWatchers();
  const lanes = new Lanes();
  /** The last entry that was acknowledged to this process. */
  let known: StorePoint | null = null;
  let closing: Promise<void> | null = null;
  const assertOpen = () => {
    if (closing !== null) throw closedStore();
  };
  const whileOpen = async <T>(doing: string, work: () => Promise<T>): Promise<T> => {
    assertOpen();
    try {
      return await work();
    } catch (error) {
      throw toPostgresError(error, doing);
    }
  };
  return {
    append: (session, expectedVersion, entries, keep = [], options = {}) =>
      whileOpen("append", async () => {
        const own = toAppendRequest(session, expectedVersion, entries, keep);
        const prepared = prepareAppend(toAppendRequests(own, options));
        const names = prepared.requests.map((request) => `session:${request.session}`);
        return await lanes.run(names, async () => {
          mark?.prepare();
          const appended = await append(connections, prepared, known);
          if (appended === null) return { status: "conflict" };
          const last = appended.at(-1);
          if (last !== undefined) {
            const point = { position: last.position, hash: last.entry.hash };
            // INVARIANT: what is acknowledged is in the mark before, and only what is durable gets into it.
            mark?.record(point);
            if (point.position > (known?.position ?? 0)) known = point;
          }
          watchers.tell(appended);
          return { status: "appended" };
        });
      }),
    stick: (principal, session, previous) =>
      whileOpen("set a fallback", () =>
        lanes.run([`principal:${principal}`], () => stick(connections, { principal, session, previous })),
      ),
    prune: (session, before) =>
      whileOpen("prune a session", async () => {
        assertArchived((await reads.read(session, Math.max(0, toCount(before) - 1), 1))[0]);
        await prune(connections, session, before);
      }),
    read: (session, after, limit) =>
      whileOpen("read a journal", () => reads.read(session, toCount(after), toCount(limit))),
    head: (session) => whileOpen("read a head", () => reads.head(session)),
    heads: (after, limit) => whileOpen("read the heads", () => reads.heads(after, toCount(limit))),
    kept: (session, key) => whileOpen("read a kept value", () => reads.kept(session, key)),
    keptWith: (prefix, limit, after = 0) =>
      whileOpen("read kept values", () => reads.keptWith(prefix, toCount(limit), toCount(after))),
    sticky: (principal) => whileOpen("read a fallback", () => reads.sticky(principal)),
    feed: (after, limit) => whileOpen("read the feed", () => reads.feed(toCount(after), toCount(limit))),
    newest: () => whileOpen("read the newest entry", () => reads.newest()),
    watch: (listener) => {
      assertOpen();
      return watchers.add(listener);
    },
    holdRunner: (id) => whileOpen("say that this process runs", () => holdRunner(connections, id)),
    runOrder: ({ leaseMs = 15_000 } = {}) => createLeases(connections, leaseMs),
    damage: () => whileOpen("look for damage", () => findDamage(connections)),
    close: () => {
      closing ??= lanes
        .drain()
        .then(() => connections.close())
        .finally(() => mark?.close());
      return closing;
    },
  };
}

/** Work that takes turns by name: what shares a name runs in the order in which it was asked for. */
export class Lanes {
  /** The last work of each name. None of them rejects. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#last.get(name) ?? []);
    const running = before.length === 0 ? work() : Promise.all(before).then(work);
    const ended = running.catch(() => {});
    for (const name of names) this.#last.set(name, ended);
    try {
      return await running;
    } finally {
      for (const name of names) if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }

  /** Resolves when nothing runs or waits. */
  async drain(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}

const RENEW_MS = 10_000;
/** A process that could not renew for so long takes no result to anybody any more: its database was away as well. */
const GONE_AFTER = "5 minutes";

/** Keeps the first process's digest. Throws SluicegateError `usage` where this one's is another. */
export async function assertSharedKey({ read, write }: Connections, digest: string): Promise<void> {
  await write("INSERT INTO sluicegate.shared_key (digest) VALUES ($1) ON CONFLICT DO NOTHING", [digest]);
  const [row] = await read("SELECT digest FROM sluicegate.shared_key");
  if (row?.digest === digest) return;
  throw new SluicegateError("usage", "This gateway has another key than the others on its store.", {
    why: "Session tokens and approvals that one of them gives would be refused by the other.",
    fix: "Copy the file `.sluicegate/key` of the first gateway here, readable by its owner alone, and start again.",
  });
}

/** Says that this process lives until it is released or ends. */
export async function holdRunner(
  { read, write }: Connections,
  id: string,
): Promise<Runner & { release(): void }> {
  await write("DELETE FROM sluicegate.runners WHERE renewed < clock_timestamp() - interval '1 day'");
  const renew = (): Promise<unknown> =>
    write(
      `INSERT INTO sluicegate.runners (id) VALUES ($1)
       ON CONFLICT (id) DO UPDATE SET renewed = clock_timestamp()`,
      [id],
    );
  await renew();
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref();
  return {
    id,
    // By the database's clock alone; without a row it was gone a day ago.
    isGone: async (other) => {
      const [row] = await read(
        `SELECT EXISTS (
          SELECT FROM sluicegate.runners WHERE id = $1 AND renewed > clock_timestamp() - $2::interval
        ) AS lives`,
        [other, GONE_AFTER],
      );
      return other !== id && row?.lives === false;
    },
    release: () => clearInterval(timer),
  };
}
