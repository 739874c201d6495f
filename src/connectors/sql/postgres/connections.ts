/** A few connections that can only read, each used for one transaction at a time and cut off where it lasts too long. */
import type { Client, ClientConfig, Pool, PoolClient, QueryArrayConfig } from "pg";
import { SluicegateError } from "../../../errors/index.ts";
import { failure, stopped, toEngineError, tooSlow } from "./database-errors.ts";
import { DescribeStatement, type ResultColumn } from "./describe-statement.ts";
import { toValue } from "./values.ts";

/** What a transaction can be asked. */
export interface Transaction {
  query(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** Has a statement read, and nothing run. */
  describe(text: string): Promise<readonly ResultColumn[]>;
}

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface ConnectionsOptions {
  readonly id: string;
  readonly config: ClientConfig;
  readonly schema: string;
  readonly seconds: number;
}

const MOST_CONNECTIONS = 4;
const IDLE_MILLISECONDS = 30_000;
/** How much longer than the server's own limit a silent connection is waited for. */
const GRACE_MILLISECONDS = 2_000;
/** More than a page needs: what comes beyond it ends the connection before it fills the memory. */
const MOST_BYTES = 64 * 1024 * 1024;

export class Connections {
  readonly #options: ConnectionsOptions;
  #pool: Promise<Pool> | null = null;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Runs `work` in a read-only transaction that is always rolled back. */
  async read<T>(work: (transaction: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { id } = this.#options;
    if (signal?.aborted) throw stopped(id);
    try {
      const pool = await this.#open();
      const client = await pool.connect();
      return await this.#use(client, work, signal);
    } catch (error) {
      throw toEngineError(id, error);
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
      max: MOST_CONNECTIONS,
      idleTimeoutMillis: IDLE_MILLISECONDS,
      allowExitOnIdle: true,
      types: { getTypeParser: toValue },
    });
    // A connection that breaks while nobody uses it is replaced when it is needed.
    pool.on("error", () => {});
    return pool;
  }

  async #use<T>(
    client: PoolClient,
    work: (transaction: Transaction) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const guard = new Guard(this.#options, client, signal);
    const running = this.#transact(client, work);
    try {
      const result = await Promise.race([running, guard.tripped]);
      client.release();
      return result;
    } catch (error) {
      // What is left of the connection is not looked at: it may stand in the middle of anything.
      running.catch(() => {});
      await guard.cancel();
      client.release(true);
      throw error;
    } finally {
      guard.end();
    }
  }

  async #transact<T>(client: PoolClient, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { schema, seconds } = this.#options;
    await client.query(beginning(schema, seconds));
    try {
      return await work(transactionOf(client));
    } finally {
      await client.query("ROLLBACK").catch(() => {});
    }
  }
}

type Driver = Pick<typeof import("pg"), "Client" | "Pool">;

async function loadDriver(): Promise<Driver> {
  try {
    return await import("pg");
  } catch (cause) {
    throw new SluicegateError("usage", "PostgreSQL databases need the package `pg`.", {
      why: "It speaks PostgreSQL's protocol, and it isn't installed.",
      fix: "Run `npm install pg libpg-query`.",
      cause,
    });
  }
}

/**
 * The beginning of each transaction. With `pg_catalog` first and temporary names last, no name of PostgreSQL's own
 * can be taken by another; strings are written as the parser here reads them, whatever the role's settings are.
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
      // Without values, the driver would send the text in a way that lets it hold several statements.
      queryMode: "extended",
    };
    const { fields, rows } = await client.query(query);
    return { columns: fields.map(({ name }) => name), rows };
  },
  describe: (text) => client.query(new DescribeStatement(text)).columns,
});

/** Watches a connection for what must end it: the caller's signal, the time, the bytes that come, its own end. */
class Guard {
  readonly tripped: Promise<never>;
  readonly #options: ConnectionsOptions;
  readonly #client: PoolClient;
  readonly #ending: (() => void)[] = [];
  #cancelled = false;

  constructor(options: ConnectionsOptions, client: PoolClient, signal: AbortSignal | undefined) {
    const { promise, reject } = Promise.withResolvers<never>();
    const { id, seconds } = options;
    this.#options = options;
    this.#client = client;
    this.tripped = promise;
    promise.catch(() => {});
    const trip = (error: Error, cancels = true): void => {
      this.#cancelled ||= cancels;
      reject(error);
    };
    const timer = setTimeout(() => trip(tooSlow(id)), seconds * 1000 + GRACE_MILLISECONDS);
    const abort = (): void => trip(stopped(id));
    signal?.addEventListener("abort", abort, { once: true });
    const lost = (error: Error): void => trip(error, false);
    client.on("error", lost);
    const unwatch = watchBytes(client, () => trip(tooMuch(id)));
    this.#ending.push(
      () => clearTimeout(timer),
      () => signal?.removeEventListener("abort", abort),
      () => client.off("error", lost),
      unwatch,
    );
  }

  end(): void {
    for (const end of this.#ending) end();
  }

  /** Has the server stop what the connection asked for, if that is still going on. */
  async cancel(): Promise<void> {
    const { processID } = this.#client as PoolClient & { readonly processID?: number | null };
    if (!this.#cancelled || typeof processID !== "number") return;
    const { Client } = await loadDriver();
    const canceller = new Client(this.#options.config);
    canceller.on("error", () => {});
    try {
      await canceller.connect();
      await canceller.query("SELECT pg_catalog.pg_cancel_backend($1)", [processID]);
    } catch {
      // The server's own time limit ends it.
    } finally {
      await endQuietly(canceller);
    }
  }
}

const endQuietly = (client: Client): Promise<void> => client.end().catch(() => {});

/** Calls back once, when more than a page's worth has come. */
function watchBytes(client: PoolClient, tooMany: () => void): () => void {
  const { connection } = client as PoolClient & {
    readonly connection?: { readonly stream?: NodeJS.ReadableStream };
  };
  const stream = connection?.stream;
  if (stream === undefined) throw new Error("The driver doesn't show its connection.");
  let bytes = 0;
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) tooMany();
  };
  stream.on("data", count);
  return () => stream.off("data", count);
}

const tooMuch = (id: string): SluicegateError =>
  failure(
    "invalid-request",
    `The result of the query of \`${id}\` is too large.`,
    `Its rows have more than ${MOST_BYTES / 1024 / 1024} MiB.`,
    "Ask for shorter values: name the columns, or cut texts with `left(…)`.",
  );
