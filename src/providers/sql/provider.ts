/** A database as a server behind the gate: what a call reads is determined before the decision. */
import type { Lattice } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import type { DatabaseConfig, PostgresConnection, SqliteConnection } from "../../policy-file/index.ts";
import type { JsonObject, ProviderStatus, ToolProvider } from "../../runtime/index.ts";
import { inTurnOf, ownerOf, type TurnOwner } from "../../threads/index.ts";
import { findUnknownKeys, guardKeys, toColumnLabels } from "./column-labels.ts";
import { type Database, type PreparedQuery, toFailed, toNothing } from "./database.ts";
import { prepareQuery, prepareRow } from "./prepare-query.ts";
import { prepareTable, prepareTables } from "./prepare-tables.ts";
import type { SqlEngine, SqlEngineOptions } from "./sql-engine.ts";
import { openSqliteEngine } from "./sqlite/sqlite-engine.ts";
import { type ToolName, toOfferedTools } from "./tools.ts";

/** A database as a policy declares it, and the lattice of its labels. */
export interface DatabaseOptions extends DatabaseConfig {
  readonly lattice: Lattice;
}

/** Opens a database for reading and offers its tools to a gate. Closing it closes the database. */
export function createDatabaseProvider(options: DatabaseOptions): ToolProvider {
  return new DatabaseProvider(options);
}

const PREPARE: Readonly<
  Record<ToolName, (database: Database, args: JsonObject, signal?: AbortSignal) => Promise<PreparedQuery>>
> = {
  query: prepareQuery,
  list_tables: prepareTables,
  describe_table: prepareTable,
  get_row: prepareRow,
};

class DatabaseProvider implements ToolProvider {
  readonly id: string;
  readonly isOwn = true;
  readonly tools: ToolProvider["tools"];
  readonly settled: Promise<void>;
  readonly #options: DatabaseOptions;
  readonly #listeners = new Set<() => void>();
  /** Prepared queries, by the opaque object that `examine` returned. */
  readonly #prepared = new WeakMap<object, PreparedQuery>();
  #database: Database | null = null;
  #status: ProviderStatus = "starting";
  #problem: string | null = null;

  constructor(options: DatabaseOptions) {
    const { id, connection, limits } = options;
    this.id = id;
    this.#options = options;
    this.tools = toOfferedTools(id, connection.type === "sqlite" ? "SQLite" : "PostgreSQL", limits);
    this.settled = this.#open();
  }

  get status(): ProviderStatus {
    return this.#status;
  }

  get problem(): string | null {
    return this.#problem;
  }

  async examine(tool: string, args: JsonObject, signal?: AbortSignal, owner?: TurnOwner) {
    const prepared = await inTurnOf(owner, () => this.#prepare(tool, args, signal));
    const checked = {};
    this.#prepared.set(checked, prepared);
    const { source, told } = prepared;
    return { asks: [], targets: [], source, ...(told && { told }), checked };
  }

  async run(_tool: string, _args: JsonObject, options: Parameters<ToolProvider["run"]>[2]) {
    const { examined, signal, assertCurrent } = options;
    const checked = examined?.checked;
    const prepared =
      typeof checked === "object" && checked !== null ? this.#prepared.get(checked) : undefined;
    if (prepared === undefined || this.#status === "closed") throw this.#unavailable();
    assertCurrent?.();
    try {
      return await inTurnOf(ownerOf(options), () => prepared.perform(signal));
    } catch (error) {
      signal?.throwIfAborted();
      return toFailed(error);
    }
  }

  watch(listener: () => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#status === "closed") return;
    this.#become("closed", "It was closed.");
    await this.#database?.engine.close();
  }

  /** If a database is unavailable, only that is revealed, which isn't secret. */
  async #prepare(tool: string, args: JsonObject, signal?: AbortSignal): Promise<PreparedQuery> {
    const database = this.#database;
    const look = isToolName(tool) ? PREPARE[tool] : undefined;
    if (database === null || look === undefined || this.#status !== "ready") throw this.#unavailable();
    try {
      return await look(database, args, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!SluicegateError.isInstance(error)) throw error;
      const [block] = toFailed(error).content;
      return toNothing(String(block?.text), this.#options.catalog);
    }
  }

  async #open(): Promise<void> {
    const { id, connection, limits, lattice } = this.#options;
    let engine: SqlEngine;
    try {
      engine = await openEngine(connection, { id, seconds: limits.seconds });
    } catch (error) {
      this.#become("down", wordsOf(error));
      return;
    }
    // It may have been closed meanwhile.
    if (this.#status === "closed") return engine.close();
    const labels = toColumnLabels(this.#options, lattice, (name) => engine.foldName(name));
    this.#database = { id, engine, labels, limits, checkKeys: guardKeys(engine, this.#options) };
    engine.watch(() => void this.#follow(engine));
    await engine.settled;
    await this.#follow(engine);
  }

  /** It is ready if it can be queried and has every labelled column. */
  async #follow(engine: SqlEngine): Promise<void> {
    const { status, problem } = engine.state;
    if (status !== "ready") {
      this.#become(status, problem);
      return;
    }
    try {
      const unknown = await findUnknownKeys(engine, this.#options);
      if (engine.state.status !== "ready") return;
      if (unknown.length === 0) this.#become("ready", null);
      else this.#become("down", whyUnknown(unknown));
    } catch (error) {
      this.#become("down", wordsOf(error));
    }
  }

  #become(status: ProviderStatus, problem: string | null): void {
    if (this.#status === "closed" || (status === this.#status && problem === this.#problem)) return;
    this.#status = status;
    this.#problem = problem;
    for (const listener of this.#listeners) listener();
  }

  #unavailable(): SluicegateError {
    return new SluicegateError("upstream-unavailable", `The database \`${this.id}\` can't be asked.`, {
      why: this.#status === "closed" ? "It was closed." : "It isn't ready, or has no such tool.",
      fix: "Call it again later.",
    });
  }
}

const isToolName = (name: string): name is ToolName => Object.hasOwn(PREPARE, name);

const whyUnknown = (keys: readonly string[]): string =>
  `The database has no such columns: ${keys.map((key) => `\`${key}\``).join(", ")}. ` +
  "They are labelled in the policy under `columns`; correct them there.";

const wordsOf = (error: unknown): string =>
  SluicegateError.isInstance(error)
    ? `${error.message} ${error.why} ${error.fix}`
    : "The database can't be opened.";

export type { PostgresConnection, SqliteConnection };
export type DatabaseConnection = DatabaseConfig["connection"];

async function openEngine(connection: DatabaseConnection, options: SqlEngineOptions): Promise<SqlEngine> {
  if (connection.type === "sqlite") return openSqliteEngine({ ...options, path: connection.path });
  const { openPostgresEngine } = await import("./postgres/postgres-engine.ts");
  return openPostgresEngine({ ...options, connection });
}
