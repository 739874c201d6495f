/** A few read-only connections, each used for one transaction at a time and ended if that takes too long. */

import { isIP } from "node:net";
import type { ClientConfig, Pool, PoolClient, QueryArrayConfig } from "pg";
import { SluicegateError } from "../../../../errors/index.ts";
import type { PostgresConnection } from "../../../../policy-file/index.ts";
import { FairPlaces, SHARE_OF_PARTY } from "../../../../threads/index.ts";
import { ConnectionGuard, type GuardOptions, loadDriver } from "./connection-guard.ts";
import { stopped, toEngineError, tooBusy } from "./database-errors.ts";
import { DescribeStatement, type ResultColumn } from "./describe-statement.ts";

/** Converts the driver's text values for `toCell`. Other types stay text. */
type Parse = (text: string) => unknown;

const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [16, (text) => text === "t"],
  [17, toBytes],
  [20, BigInt],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
]);

const asText: Parse = (text) => text;

/** The driver looks up a parser by the type's number. */
const toValue = (type: number): Parse => PARSERS.get(type) ?? asText;

function toBytes(text: string): unknown {
  return text.startsWith("\\x") ? Buffer.from(text.slice(2), "hex") : text;
}

/** What can be done in a transaction. */
export interface Transaction {
  query(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** Lets the server parse a statement without running it. */
  describe(text: string): Promise<readonly ResultColumn[]>;
}

interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

interface ConnectionsOptions extends GuardOptions {
  readonly schema: string;
}

const MAX_CONNECTIONS = 8;
/** How many transactions of one label holder may wait for a connection. */
const MAX_WAITING = 64;
const IDLE_MILLISECONDS = 30_000;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #places: FairPlaces;
  #pool: Promise<Pool> | null = null;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#places = new FairPlaces({
      places: MAX_CONNECTIONS,
      ofParty: MAX_CONNECTIONS * SHARE_OF_PARTY,
      maxWaiting: MAX_WAITING,
      tooMany: () => tooBusy(options.id),
    });
  }

  /**
   * Runs `work` in a read-only transaction that is always rolled back, once there is a connection for the current owner.
   * @throws SluicegateError `upstream-timeout` if too much waits or it takes too long, `upstream-unavailable`, `invalid-request`
   */
  async read<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
    const { id } = this.#options;
    if (signal?.aborted) throw stopped(id);
    try {
      return await this.#places.run(() => this.#read(work, signal), { signal });
    } catch (error) {
      throw signal?.aborted && error === signal.reason ? stopped(id) : toEngineError(id, error);
    }
  }

  async #read<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let left = MAX_CONNECTIONS; ; left -= 1) {
      const outcome = await this.#try(work, signal);
      if ("result" in outcome) return outcome.result;
      // After a restart of the server, all idle connections are broken.
      if (outcome.begun || left === 0) throw outcome.error;
    }
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => null);
    if (pool?.ending === false) await pool.end();
  }

  async #open(): Promise<Pool> {
    this.#pool ??= this.#load();
    return await this.#pool;
  }

  async #load(): Promise<Pool> {
    const { Pool } = await loadDriver();
    const { config } = this.#options;
    const pool = new Pool({
      ...config,
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: IDLE_MILLISECONDS,
      allowExitOnIdle: true,
      types: { getTypeParser: toValue },
    });
    // A broken idle connection is replaced when it is needed.
    pool.on("error", () => {});
    // A connection may also break together with the awaited answer.
    pool.on("connect", (client) => client.on("error", () => {}));
    return pool;
  }

  async #try<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<Outcome<T>> {
    const pool = await this.#open();
    const client = await pool.connect();
    if (signal?.aborted) {
      client.release();
      throw stopped(this.#options.id);
    }
    const guard = new ConnectionGuard(this.#options, client, signal);
    const turn = { begun: false };
    const running = this.#transact(client, work, turn);
    try {
      const result = await Promise.race([running, guard.tripped]);
      client.release();
      return { result };
    } catch (error) {
      // The connection is discarded, in whatever state it is.
      running.catch(() => {});
      await guard.cancel();
      client.release(true);
      return { error, begun: turn.begun || guard.hasCancelled };
    } finally {
      guard.end();
    }
  }

  async #transact<T>(client: PoolClient, work: Work<T>, turn: { begun: boolean }): Promise<T> {
    const { schema, seconds } = this.#options;
    await client.query(beginning(schema, seconds));
    turn.begun = true;
    try {
      return await work(transactionOf(client));
    } finally {
      await client.query("ROLLBACK").catch(() => {});
    }
  }
}

type Work<T> = (transaction: Transaction) => Promise<T>;

/** `begun`: whether the server has started the transaction, or the caller has stopped. */
type Outcome<T> = { readonly result: T } | { readonly error: unknown; readonly begun: boolean };

/**
 * The start of each transaction. With `pg_catalog` first and temporary names last, nothing can replace PostgreSQL's
 * own names. Strings are parsed as by the parser here, whatever the role's settings are.
 */
const beginning = (schema: string, seconds: number): string =>
  [
    "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY",
    `SET LOCAL search_path TO pg_catalog, "${schema.replaceAll('"', '""')}", pg_temp`,
    `SET LOCAL statement_timeout TO ${Math.max(1, Math.round(seconds * 1000))}`,
    "SET LOCAL standard_conforming_strings TO on",
    "SET LOCAL row_security TO on",
    "SET LOCAL datestyle TO 'ISO, YMD'",
    "SET LOCAL bytea_output TO hex",
    "SET LOCAL extra_float_digits TO 1",
  ].join("; ");

const transactionOf = (client: PoolClient): Transaction => ({
  query: async (text, values = []) => {
    const query: QueryArrayConfig & { readonly queryMode: string } = {
      text,
      values: [...values],
      rowMode: "array",
      // Without values, the driver would use the simple protocol, which allows several statements.
      queryMode: "extended",
    };
    const { fields, rows } = await client.query(query);
    return { columns: fields.map(({ name }) => name), rows };
  },
  describe: (text) => client.query(new DescribeStatement(text)).columns,
});

/** Where a PostgreSQL database is. Known without the driver. */
export type PostgresAddress = Omit<PostgresConnection, "type">;

const CONNECT_MILLISECONDS = 10_000;

/** Converts a policy's declaration to the driver's options. */
export function toClientConfig(id: string, connection: PostgresAddress): ClientConfig {
  const {
    host = "127.0.0.1",
    port,
    database,
    user,
    password,
  } = { ...fromUrl(id, connection.url), ...given(connection) };
  return {
    host,
    port: port ?? 5432,
    ...(database === undefined ? {} : { database }),
    ...(user === undefined ? {} : { user }),
    // A function, so that the driver doesn't use a password from a file or the environment.
    password: () => password ?? "",
    ssl: connection.tls
      ? { rejectUnauthorized: true, ...(isIP(host) === 0 ? { servername: host } : {}) }
      : false,
    application_name: "sluicegate",
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    keepAlive: true,
    // The first of two protections; each transaction is READ ONLY too.
    options: "-c default_transaction_read_only=on",
  };
}

type Place = Pick<PostgresAddress, "host" | "port" | "database" | "user" | "password">;

function given({ host, port, database, user, password }: PostgresAddress): Place {
  const entries = Object.entries({ host, port, database, user, password });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function fromUrl(id: string, url: string | undefined): Place {
  if (url === undefined) return {};
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol) || parsed.search !== "") {
    throw new SluicegateError("usage", `The address of the database \`${id}\` can't be used.`, {
      why: "It isn't of the form `postgres://user:password@host:port/database`, with nothing behind.",
      fix: "Write host, port, database, user and password as keys of their own, and encryption as `tls`.",
    });
  }
  const database = decodeURIComponent(parsed.pathname.slice(1));
  return {
    ...(parsed.hostname === "" ? {} : { host: parsed.hostname.replace(/^\[(.*)\]$/, "$1") }),
    ...(parsed.port === "" ? {} : { port: Number(parsed.port) }),
    ...(database === "" ? {} : { database }),
    ...(parsed.username === "" ? {} : { user: decodeURIComponent(parsed.username) }),
    ...(parsed.password === "" ? {} : { password: decodeURIComponent(parsed.password) }),
  };
}
