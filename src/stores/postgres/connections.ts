/**
 * The connections to a store's server. Each statement stands alone, with nothing left in the connection, so that a
 * pooler may give every statement another one. Whatever takes too long is aborted, and its connection closed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { SluicegateError } from "../../errors/index.ts";
import { failed } from "../store-errors.ts";
import type { StoreServers } from "./connection-options.ts";
import { isReadOnly, isUnreachable, readOnlyError } from "./postgres-errors.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface Connections {
  /** Runs a statement that changes nothing; once more where the connection was lost. */
  read(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs a statement once. Where it rejects, it may have been made or not. */
  write(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs several statements on one connection. */
  with<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface ConnectionsOptions {
  readonly servers: StoreServers;
  readonly maxConnections: number;
  /** How long a statement may take, the wait for a connection included. */
  readonly timeoutMs: number;
}

const IDLE_MS = 30_000;
const PAUSE_MS = 50;

export async function openConnections(options: ConnectionsOptions): Promise<Connections> {
  const { timeoutMs } = options;
  const servers = await createPools(options);
  const connect = async (until: number): Promise<PoolClient> => {
    for (;;) {
      try {
        return await servers.connect();
      } catch (error) {
        if (!isUnreachable(error) || performance.now() + PAUSE_MS >= until) throw error;
      }
      await sleep(PAUSE_MS);
    }
  };
  const once = async <T>(until: number, work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await connect(until);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(tooSlow()), Math.max(0, until - performance.now()));
    let isWhole = false;
    try {
      const done = await Promise.race([work(client), late]);
      isWhole = true;
      return done;
    } catch (error) {
      // An answer of the server leaves the connection as it was; after anything else it may stand anywhere.
      isWhole = isAnswer(error);
      throw error;
    } finally {
      clearTimeout(timer);
      client.release(!isWhole);
    }
  };
  const query = async (until: number, sql: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    await once(until, async (client) => (await client.query<Row>(sql, [...values])).rows);
  return {
    read: async (sql, values = []) => {
      const until = performance.now() + timeoutMs;
      for (;;) {
        try {
          return await query(until, sql, values);
        } catch (error) {
          if (!isUnreachable(error) || performance.now() + PAUSE_MS >= until) throw error;
        }
        await sleep(PAUSE_MS);
      }
    },
    write: (sql, values = []) => query(performance.now() + timeoutMs, sql, values),
    with: (work) => once(performance.now() + timeoutMs, work),
    close: () => servers.close(),
  };
}

interface Pools {
  connect(): Promise<PoolClient>;
  close(): Promise<void>;
}

/** A pool for each server. The one that took a connection last is asked first, until it can't be reached or takes no writes. */
async function createPools({ servers, maxConnections, timeoutMs }: ConnectionsOptions): Promise<Pools> {
  const { configs, mustTakeWrites } = servers;
  // So that a machine that doesn't answer leaves time for the others.
  const connectionTimeoutMillis = Math.ceil(timeoutMs / configs.length);
  const pools = await Promise.all(
    configs.map((config) =>
      createPool({ ...config, max: maxConnections, idleTimeoutMillis: IDLE_MS, connectionTimeoutMillis }),
    ),
  );
  const taking = new WeakSet<PoolClient>();
  let current = 0;
  return {
    connect: async () => {
      const at = current;
      try {
        const client = await (pools[at] as Pool).connect();
        if (mustTakeWrites && !taking.has(client)) await assertTakesWrites(client, connectionTimeoutMillis);
        taking.add(client);
        return client;
      } catch (error) {
        if (current === at && isUnreachable(error)) current = (at + 1) % pools.length;
        throw error;
      }
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/** Releases the connection where it throws. */
async function assertTakesWrites(client: PoolClient, timeoutMs: number): Promise<void> {
  try {
    const query = {
      text: "SELECT current_setting('transaction_read_only') AS read_only",
      query_timeout: timeoutMs,
    };
    const { rows } = await client.query<Row>(query);
    if (rows[0]?.read_only !== "off") throw readOnlyError();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function createPool(config: ConstructorParameters<typeof Pool>[0]): Promise<Pool> {
  const { Pool } = await loadDriver();
  const pool = new Pool(config);
  // A connection that breaks while nobody uses it is replaced when one is needed; a statement in progress fails.
  pool.on("error", () => {});
  // INVARIANT: from its beginning to its end. What breaks it may come in one piece with what it was waited for.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

async function loadDriver(): Promise<typeof import("pg")> {
  try {
    return await import("pg");
  } catch (cause) {
    throw new SluicegateError("usage", "A PostgreSQL store needs the package `pg`.", {
      why: "It speaks PostgreSQL's protocol, and it isn't installed.",
      fix: "Run `npm install pg`.",
      cause,
    });
  }
}

/** A code of five characters is the server's own. One that takes no writes any more is not to be asked again. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error &&
  !isReadOnly(error) &&
  "severity" in error &&
  error.severity !== "FATAL" &&
  "code" in error &&
  typeof error.code === "string" &&
  /^[0-9A-Z]{5}$/.test(error.code);

const tooSlow = (): SluicegateError =>
  failed(
    "The store's database didn't answer in time.",
    "It is overloaded, or the way to it is blocked. Whether a write was made isn't known.",
    "See how the server is doing, and try again.",
  );
