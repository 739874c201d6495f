/** A few connections that can only read, each used for one transaction at a time and cut off where it lasts too long. */
import type { Pool, PoolClient, QueryArrayConfig } from "pg";
import { ConnectionGuard, type GuardOptions, loadDriver } from "./connection-guard.ts";
import { stopped, toEngineError, tooBusy } from "./database-errors.ts";
import { DescribeStatement, type ResultColumn } from "./describe-statement.ts";

/** Values as the driver gets them, in text, made into what `toCell` knows. Whatever isn't plain stays text. */
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

/** The driver asks for a parser by the number of the type. */
const toValue = (type: number): Parse => PARSERS.get(type) ?? asText;

function toBytes(text: string): unknown {
  return text.startsWith("\\x") ? Buffer.from(text.slice(2), "hex") : text;
}

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

export interface ConnectionsOptions extends GuardOptions {
  readonly schema: string;
}

const MAX_CONNECTIONS = 8;
const IDLE_MILLISECONDS = 30_000;
export class Connections {
  readonly #options: ConnectionsOptions;
  #pool: Promise<Pool> | null = null;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Runs `work` in a read-only transaction that is always rolled back. */
  async read<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
    const { id } = this.#options;
    if (signal?.aborted) throw stopped(id);
    try {
      for (let left = MAX_CONNECTIONS; ; left -= 1) {
        const outcome = await this.#try(work, signal);
        if ("result" in outcome) return outcome.result;
        // Connections that were idle while the server was started anew are all broken.
        if (outcome.begun || left === 0) throw outcome.error;
      }
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
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: IDLE_MILLISECONDS,
      allowExitOnIdle: true,
      types: { getTypeParser: toValue },
    });
    // A connection that breaks while nobody uses it is replaced when it is needed.
    pool.on("error", () => {});
    // Also where it breaks in one piece with the answer that it was waited for.
    pool.on("connect", (client) => client.on("error", () => {}));
    return pool;
  }

  async #try<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<Outcome<T>> {
    const pool = await this.#open();
    const client = await this.#connect(pool);
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
      // What is left of the connection is not examined: it may stand in the middle of anything.
      running.catch(() => {});
      await guard.cancel();
      client.release(true);
      return { error, begun: turn.begun || guard.hasCancelled };
    } finally {
      guard.end();
    }
  }

  async #connect(pool: Pool): Promise<PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      // The driver says the same of a server that doesn't answer and of connections that nobody gives back.
      const isWaiting = error instanceof Error && /timeout exceeded/.test(error.message);
      throw isWaiting && pool.totalCount === MAX_CONNECTIONS ? tooBusy(this.#options.id) : error;
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

/** `begun`: whether the server has taken up the transaction, or the caller has stopped. */
type Outcome<T> = { readonly result: T } | { readonly error: unknown; readonly begun: boolean };

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
