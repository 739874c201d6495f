/**
 * The connections to a store's server. Each statement stands alone, with nothing left in the connection, so that a
 * pooler may give every statement another one. Whatever takes too long is given up, with its connection.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConfig, Pool, PoolClient } from "pg";
import { SluicegateError } from "../../errors/index.ts";
import { failed } from "../store-errors.ts";
import { isUnreachable } from "./postgres-errors.ts";

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

export interface ConnectionsOptions {
  readonly config: ClientConfig;
  readonly maxConnections: number;
  /** How long a statement may take, the wait for a connection included. */
  readonly timeoutMs: number;
}

const IDLE_MS = 30_000;
const PAUSE_MS = 50;

export async function openConnections({
  config,
  maxConnections,
  timeoutMs,
}: ConnectionsOptions): Promise<Connections> {
  const pool = await createPool({
    ...config,
    max: maxConnections,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: timeoutMs,
  });
  const connect = async (until: number): Promise<PoolClient> => {
    for (;;) {
      try {
        return await pool.connect();
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
    close: () => pool.end(),
  };
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

/** A code of five characters is the server's own. */
const isAnswer = (error: unknown): boolean =>
  error instanceof Error &&
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
