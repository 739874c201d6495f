/** What a query reads. It only grows. */
import type { AggregateReading, ColumnName, SqlReading, TableReading } from "../../sql-engine.ts";

/** Why a query is refused. */
export interface Forbidden {
  readonly message: string;
  readonly why: string;
  readonly fix: string;
}

export const TOO_WIDE: Forbidden = {
  message: "The query touches too much to be followed.",
  why: "Its views use too many other views, or it names too many tables.",
  fix: "Ask the tables themselves, a few at a time.",
};

/** An index that may determine the order of rows: the columns of its keys and values. */
interface IndexReads {
  readonly keys: Dependencies;
  readonly holds: Dependencies;
  /** Everything that the table stores. */
  readonly stored: Dependencies;
}

export class Dependencies {
  readonly #columns = new Map<string, ColumnName>();
  readonly #tables = new Map<string, TableReading>();
  readonly #aggregated = new Map<string, Dependencies>();
  #catalog = false;
  #unresolved: string | null = null;
  #forbidden: Forbidden | null = null;
  #mayFail = false;
  #computed = false;
  #ownCode = false;
  #needsOrder = false;
  #showsIndexes = false;
  readonly #placedBy = new Map<string, ColumnName>();
  readonly #indexes = new Map<string, IndexReads>();

  get forbidden(): Forbidden | null {
    return this.#forbidden;
  }

  /** Whether reading it computes something, which may fail on some value. */
  get mayFail(): boolean {
    return this.#mayFail;
  }

  /** Whether something is computed from the columns, so that the result is more than their values. */
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

  /** Whether the database's own code may run when the server parses the statement. */
  get runsOwnCode(): boolean {
    return this.#ownCode;
  }

  /** The first reason is kept, because a person can act on it. */
  leaveUnresolved(reason: string): void {
    this.#unresolved ??= reason;
  }

  /** Like `leaveUnresolved`, for what the database's own code does with a constant of the statement. */
  addOwnCode(reason: string): void {
    this.#ownCode = true;
    this.leaveUnresolved(reason);
  }

  /** Notes that the result depends on the order of rows. */
  dependOnOrder(): void {
    this.#needsOrder = true;
  }

  /**
   * Notes that the result may depend on the order in which rows are processed: the first error, or the first of equal
   * values, is returned.
   */
  mayShowIndexes(): void {
    this.#showsIndexes = true;
  }

  /** Adds what determines where a table's rows are stored. It counts if the result depends on their order. */
  addPlaces(placedBy: Dependencies): void {
    for (const [key, column] of placedBy.#columns) this.#placedBy.set(key, column);
  }

  addIndex(key: string, index: IndexReads): void {
    this.#indexes.set(key, index);
  }

  forbid(forbidden: Forbidden): void {
    this.#forbidden ??= forbidden;
  }

  hasColumn(schema: string, table: string, column: string): boolean {
    return this.#columns.has(keyOf(schema, table, column));
  }

  merge(other: Dependencies): void {
    for (const [key, column] of other.#columns) this.#columns.set(key, column);
    for (const [key, table] of other.#tables) this.#tables.set(key, table);
    this.#mergeRest(other);
  }

  /** Like `merge`, but keeps the columns separate: only this aggregate depends on them. */
  mergeAggregated(aggregate: string, other: Dependencies): void {
    const apart = this.#apart(aggregate);
    for (const [key, column] of other.#columns) apart.#columns.set(key, column);
    for (const [key, table] of other.#tables) this.#tables.set(key, table);
    this.#mergeRest(other);
  }

  /** Like `merge`, for a FROM whose rows affect only these aggregates. */
  mergeCounted(aggregates: readonly string[], other: Dependencies): void {
    for (const [key, column] of other.#columns) this.#columns.set(key, column);
    for (const aggregate of aggregates) {
      const apart = this.#apart(aggregate);
      for (const [key, table] of other.#tables) apart.#tables.set(key, table);
    }
    this.#mergeRest(other);
  }

  #apart(aggregate: string): Dependencies {
    const apart = this.#aggregated.get(aggregate) ?? new Dependencies();
    this.#aggregated.set(aggregate, apart);
    return apart;
  }

  #mergeRest(other: Dependencies): void {
    for (const [name, reads] of other.#aggregated) {
      const apart = this.#apart(name);
      for (const [key, column] of reads.#columns) apart.#columns.set(key, column);
      for (const [key, table] of reads.#tables) apart.#tables.set(key, table);
    }
    this.#catalog ||= other.#catalog;
    this.#mayFail ||= other.#mayFail;
    this.#computed ||= other.#computed;
    this.#ownCode ||= other.#ownCode;
    this.#needsOrder ||= other.#needsOrder;
    this.#showsIndexes ||= other.#showsIndexes;
    for (const [key, column] of other.#placedBy) this.#placedBy.set(key, column);
    for (const [key, index] of other.#indexes) this.#indexes.set(key, index);
    this.#unresolved ??= other.#unresolved;
    this.#forbidden ??= other.#forbidden;
  }

  /** What is read if no index determines the order of rows, and what is read if one may; null if that is the same. */
  toReadings(): { readonly reading: SqlReading; readonly byIndex: SqlReading | null } {
    if (this.#needsOrder) for (const [key, column] of this.#placedBy) this.#columns.set(key, column);
    const reading = this.#toReading();
    if (!this.#needsOrder && !this.#showsIndexes) return { reading, byIndex: null };
    for (const keys of this.#ordersBeyond()) this.merge(keys);
    const byIndex = this.#toReading();
    return { reading, byIndex: byIndex.columns.length === reading.columns.length ? null : byIndex };
  }

  /** The keys of indexes that the server may use for this query, and that contain other columns too. */
  #ordersBeyond(): readonly Dependencies[] {
    const aggregated = [...this.#aggregated.values()];
    const isRead = (key: string): boolean =>
      this.#columns.has(key) || aggregated.some((apart) => apart.#columns.has(key));
    return [...this.#indexes.values()].flatMap(({ keys, holds, stored }) => {
      const isSearched = [...keys.#columns.keys()].some(isRead);
      const isEnough = [...stored.#columns.keys()].every((key) => !isRead(key) || holds.#columns.has(key));
      return isSearched || isEnough ? [keys] : [];
    });
  }

  #toReading(): SqlReading {
    return {
      columns: [...this.#columns.values()],
      tables: [...this.#tables.values()],
      aggregated: [...this.#aggregated].flatMap(([name, reads]) => this.#toAggregate(name, reads)),
      catalog: this.#catalog,
      unresolved: this.#unresolved,
    };
  }

  #toAggregate(name: string, reads: Dependencies): AggregateReading[] {
    const columns = [...reads.#columns].flatMap(([key, column]) => (this.#columns.has(key) ? [] : [column]));
    const tables = [...reads.#tables].flatMap(([key, table]) => (this.#tables.has(key) ? [] : [table]));
    return columns.length + tables.length === 0 ? [] : [{ function: name, columns, tables }];
  }
}

/** PostgreSQL's names contain no NUL. */
const keyOf = (...names: readonly string[]): string => names.join("\0");
