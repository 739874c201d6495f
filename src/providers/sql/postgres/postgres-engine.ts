/** A PostgreSQL database as an engine: connections, their state, and the engine's methods. */
import { SluicegateError } from "../../../errors/index.ts";
import {
  quoteName,
  type SqlEngine,
  type SqlEngineOptions,
  type SqlEngineState,
  type SqlExamined,
  type SqlPage,
  type SqlPageRequest,
  type SqlParameters,
  type TableDescription,
  type TableInfo,
  type TableName,
} from "../sql-engine.ts";
import {
  Connections,
  type PostgresAddress,
  type Transaction,
  toClientConfig,
} from "./connection/connections.ts";
import { failure } from "./connection/database-errors.ts";
import { type Prepared, runPage } from "./connection/run-page.ts";
import { checkText, examineStatement, type Read } from "./examine-statement.ts";
import { describeTable, listTables } from "./list-tables.ts";
import { openStatementReader, type StatementReader } from "./parsing/statement-reader.ts";

export interface PostgresEngineOptions extends SqlEngineOptions {
  readonly connection: PostgresAddress;
}

const FIRST_RETRY_MILLISECONDS = 1_000;
const MAX_RETRY_MILLISECONDS = 30_000;

/** Opens the database, and retries while it is unavailable. */
export function openPostgresEngine(options: PostgresEngineOptions): SqlEngine {
  return new PostgresEngine(options);
}

class PostgresEngine implements SqlEngine {
  readonly settled: Promise<void>;
  readonly #id: string;
  readonly #schema: string;
  readonly #connections: Connections;
  readonly #reader: StatementReader;
  readonly #listeners = new Set<() => void>();
  /** Only objects made by this engine can be run. */
  readonly #prepared = new WeakSet<object>();
  #state: SqlEngineState = { status: "starting", problem: null };
  #retry: NodeJS.Timeout | null = null;

  constructor({ id, seconds, connection }: PostgresEngineOptions) {
    const { schema } = connection;
    this.#id = id;
    this.#schema = schema;
    this.#connections = new Connections({ id, config: toClientConfig(id, connection), schema, seconds });
    this.#reader = openStatementReader();
    this.settled = this.#probe(FIRST_RETRY_MILLISECONDS);
  }

  get state(): SqlEngineState {
    return this.#state;
  }

  async examine(sql: string, parameters: SqlParameters, signal?: AbortSignal): Promise<SqlExamined> {
    this.#requireOpen();
    const read: Read = (request) => this.#reader.read(request);
    const checked = await checkText(read, sql, parameters);
    if (checked.kind === "refused") return checked;
    const values = Array.isArray(parameters) ? parameters : [];
    const examined = await this.#read(
      (transaction) => examineStatement(transaction, read, sql, checked, values),
      signal,
    );
    if (examined.kind === "query") {
      for (const { prepared } of examined.ways) this.#prepared.add(prepared as Prepared);
    }
    return examined;
  }

  async run(prepared: unknown, page: SqlPageRequest, signal?: AbortSignal): Promise<SqlPage> {
    if (!this.#isOurs(prepared)) {
      throw failure(
        "usage",
        "The query wasn't examined.",
        "Only what was looked at is run.",
        "Examine it first.",
      );
    }
    return await this.#read((transaction) => runPage(this.#id, transaction, prepared, page), signal);
  }

  async tables(signal?: AbortSignal): Promise<readonly TableInfo[]> {
    return await this.#read(listTables, signal);
  }

  async describe(table: string | TableName, signal?: AbortSignal): Promise<TableDescription | null> {
    return await this.#read((transaction) => describeTable(transaction, table, this.#schema), signal);
  }

  selectRow({ schema, table }: TableName, key: string): string {
    return `SELECT * FROM ${quoteName(schema ?? this.#schema)}.${quoteName(table)} WHERE ${quoteName(key)} = $1`;
  }

  foldName(name: string): string {
    return name;
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#become({ status: "closed", problem: "It was closed." });
    await Promise.all([this.#connections.close(), this.#reader.close()]);
  }

  // The set contains only results of `examine`.
  #isOurs(prepared: unknown): prepared is Prepared {
    return typeof prepared === "object" && prepared !== null && this.#prepared.has(prepared);
  }

  #requireOpen(): void {
    if (this.#state.status === "closed") {
      throw failure(
        "upstream-unavailable",
        `The database \`${this.#id}\` is closed.`,
        "The gateway ends.",
        "Start it.",
      );
    }
  }

  async #read<T>(
    work: (transaction: Transaction) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    this.#requireOpen();
    try {
      const result = await this.#connections.read(work, signal);
      this.#become({ status: "ready", problem: null });
      return result;
    } catch (error) {
      if (SluicegateError.isInstance(error))
        this.#noteFailure(error as SluicegateError, FIRST_RETRY_MILLISECONDS);
      throw error;
    }
  }

  async #probe(wait: number): Promise<void> {
    try {
      await this.#reader.warmUp();
      await this.#connections.read((transaction) => transaction.query("SELECT 1"));
      this.#become({ status: "ready", problem: null });
    } catch (error) {
      if (SluicegateError.isInstance(error)) this.#noteFailure(error as SluicegateError, wait);
    }
  }

  #noteFailure({ code, message, why, fix }: SluicegateError, wait: number): void {
    if (code !== "upstream-unavailable" && code !== "usage") return;
    this.#become({ status: "down", problem: `${message} ${why} ${fix}` });
    if (this.#state.status === "closed" || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      void this.#probe(Math.min(wait * 2, MAX_RETRY_MILLISECONDS));
    }, wait).unref();
  }

  #become(state: SqlEngineState): void {
    const before = this.#state;
    if (before.status === "closed" || (before.status === state.status && before.problem === state.problem))
      return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
