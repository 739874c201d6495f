/** A SQLite database as an engine. It works in a separate process. */
import type { SluicegateError } from "../../../errors/index.ts";
import {
  type QueryVariant,
  quoteName,
  type SqlEngine,
  type SqlEngineOptions,
  type SqlEngineState,
  type SqlPage,
  type TableDescription,
  type TableInfo,
} from "../sql-engine.ts";
import { DatabaseProcesses } from "./database-processes.ts";
import type { ChosenWay, DatabaseReader } from "./database-reader.ts";
import { foldName } from "./reading/tokens.ts";

interface SqliteEngineOptions extends SqlEngineOptions {
  /** Absolute. */
  readonly path: string;
}

/** How long until an unreadable file is tried again. */
const RETRY_MS = 2000;

/** Opens a SQLite file for reading. An unreadable file is tried again until it can be read. */
export function openSqliteEngine({ id, path, seconds }: SqliteEngineOptions): SqlEngine {
  const processes = new DatabaseProcesses({ id, path, seconds });
  const listeners = new Set<() => void>();
  let state: SqlEngineState = { status: "starting", problem: null };
  let timer: NodeJS.Timeout | undefined;
  const become = (next: SqlEngineState): void => {
    if (state.status === "closed") return;
    state = next;
    for (const listener of listeners) listener();
  };
  const open = async (): Promise<void> => {
    try {
      await processes.perform({ kind: "open" });
      become({ status: "ready", problem: null });
    } catch (error) {
      become({ status: "down", problem: sentencesOf(error) });
      if (state.status === "down") timer = setTimeout(() => void open(), RETRY_MS).unref();
    }
  };
  return {
    get state() {
      return state;
    },
    settled: open(),
    examine: async (sql, parameters, signal) => {
      const question = { sql, parameters };
      const found = (await processes.perform({ kind: "examine", question }, signal)) as ReturnType<
        DatabaseReader["examine"]
      >;
      if (found.kind === "refused") return found;
      const [first, ...others] = found.ways.map((way): QueryVariant => {
        const chosen: ChosenWay = { ...question, way };
        return { reading: way.reading, prepared: chosen };
      });
      // A query has at least the variant as written.
      if (first === undefined) throw new TypeError("A query came back without a way to run it.");
      return { kind: "query", ways: [first, ...others], names: found.names };
    },
    run: async (prepared, page, signal) =>
      (await processes.perform({ kind: "run", chosen: prepared as ChosenWay, page }, signal)) as SqlPage,
    tables: async (signal) => (await processes.perform({ kind: "tables" }, signal)) as readonly TableInfo[],
    describe: async (table, signal) => {
      const name = typeof table === "string" ? table : table.table;
      return (await processes.perform({ kind: "describe", table: name }, signal)) as TableDescription | null;
    },
    selectRow: ({ table }, key) => `SELECT * FROM ${quoteName(table)} WHERE ${quoteName(key)} = ?`,
    foldName,
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      become({ status: "closed", problem: "It was closed." });
      clearTimeout(timer);
      processes.close();
    },
  };
}

const sentencesOf = (error: unknown): string => {
  const { message, why } = error as SluicegateError;
  return `${message} ${why}`;
};
