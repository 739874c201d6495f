/** What a query was found to read so far. It only grows. */
import type { AggregateReading, ColumnName, SqlReading, TableReading } from "../sql-engine.ts";

/** Why a query isn't run at all. */
export interface Forbidden {
  readonly message: string;
  readonly why: string;
  readonly fix: string;
}

export class Reads {
  readonly #columns = new Map<string, ColumnName>();
  readonly #tables = new Map<string, TableReading>();
  readonly #aggregated = new Map<string, Reads>();
  #catalog = false;
  #unresolved: string | null = null;
  #forbidden: Forbidden | null = null;
  #mayFail = false;
  #computed = false;
  #ownCode = false;

  get forbidden(): Forbidden | null {
    return this.#forbidden;
  }

  /** Whether reading it works something out, which may fail on some value. */
  get mayFail(): boolean {
    return this.#mayFail;
  }

  /** Whether something is made of the columns, so that what shows of it isn't theirs alone. */
  get isComputed(): boolean {
    return this.#computed;
  }

  get isResolved(): boolean {
    return this.#unresolved === null;
  }

  addColumn(schema: string, table: string, column: string): void {
    this.#columns.set(keyOf(schema, table, column), { schema, table, column });
  }

  addTable(schema: string, table: string, columns: readonly string[]): void {
    this.#tables.set(keyOf(schema, table), { schema, table, columns });
  }

  addCatalog(): void {
    this.#catalog = true;
  }

  addWork(): void {
    this.#mayFail = true;
    this.#computed = true;
  }

  addComputation(): void {
    this.#computed = true;
  }

  /** Whether code of the database's own may run as soon as the server reads the statement. */
  get runsOwnCode(): boolean {
    return this.#ownCode;
  }

  /** The first reason is kept: it is the one that a person can act on. */
  leaveUnresolved(reason: string): void {
    this.#unresolved ??= reason;
  }

  /** Like `leaveUnresolved`, for what the database's own code does with a constant of the statement. */
  addOwnCode(reason: string): void {
    this.#ownCode = true;
    this.leaveUnresolved(reason);
  }

  forbid(forbidden: Forbidden): void {
    this.#forbidden ??= forbidden;
  }

  hasColumn(schema: string, table: string, column: string): boolean {
    return this.#columns.has(keyOf(schema, table, column));
  }

  merge(other: Reads): void {
    for (const [key, column] of other.#columns) this.#columns.set(key, column);
    for (const [key, table] of other.#tables) this.#tables.set(key, table);
    this.#mergeRest(other);
  }

  /** Like `merge`, but keeps the columns apart: they show in this aggregate alone. */
  mergeAggregated(aggregate: string, other: Reads): void {
    const apart = this.#apart(aggregate);
    for (const [key, column] of other.#columns) apart.#columns.set(key, column);
    for (const [key, table] of other.#tables) this.#tables.set(key, table);
    this.#mergeRest(other);
  }

  /** Like `merge`, for a FROM whose rows show in these aggregates alone. */
  mergeCounted(aggregates: readonly string[], other: Reads): void {
    for (const [key, column] of other.#columns) this.#columns.set(key, column);
    for (const aggregate of aggregates) {
      const apart = this.#apart(aggregate);
      for (const [key, table] of other.#tables) apart.#tables.set(key, table);
    }
    this.#mergeRest(other);
  }

  #apart(aggregate: string): Reads {
    const apart = this.#aggregated.get(aggregate) ?? new Reads();
    this.#aggregated.set(aggregate, apart);
    return apart;
  }

  #mergeRest(other: Reads): void {
    for (const [name, reads] of other.#aggregated) {
      const apart = this.#apart(name);
      for (const [key, column] of reads.#columns) apart.#columns.set(key, column);
      for (const [key, table] of reads.#tables) apart.#tables.set(key, table);
    }
    this.#catalog ||= other.#catalog;
    this.#mayFail ||= other.#mayFail;
    this.#computed ||= other.#computed;
    this.#ownCode ||= other.#ownCode;
    this.#unresolved ??= other.#unresolved;
    this.#forbidden ??= other.#forbidden;
  }

  toReading(): SqlReading {
    return {
      columns: [...this.#columns.values()],
      tables: [...this.#tables.values()],
      aggregated: [...this.#aggregated].flatMap(([name, reads]) => this.#toAggregate(name, reads)),
      catalog: this.#catalog,
      unresolved: this.#unresolved,
    };
  }

  #toAggregate(name: string, reads: Reads): AggregateReading[] {
    const columns = [...reads.#columns].flatMap(([key, column]) => (this.#columns.has(key) ? [] : [column]));
    const tables = [...reads.#tables].flatMap(([key, table]) => (this.#tables.has(key) ? [] : [table]));
    return columns.length + tables.length === 0 ? [] : [{ function: name, columns, tables }];
  }
}

/** No name of PostgreSQL holds a NUL. */
const keyOf = (...names: readonly string[]): string => names.join("\0");
