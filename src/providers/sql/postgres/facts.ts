/**
 * Facts about the catalog, by name. If a requested one isn't loaded, it is noted; the reading is repeated once the
 * noted facts are loaded.
 */

import { parseJson } from "../../../json/parse-json.ts";
import type { Fields } from "./parsing/parse-tree.ts";

type FactKind = "relation" | "function" | "operator" | "type" | "server";

export interface FactName {
  readonly kind: FactKind;
  /** Null for a name without one, which is found by the search path. */
  readonly schema: string | null;
  readonly name: string;
}

interface ColumnFact {
  readonly name: string;
  /** The expression that it is generated from. */
  readonly generated: string | null;
  /** Whether it is computed when it is read. */
  readonly virtual: boolean;
  /** Whether equal values of its type are identical. */
  readonly identical: boolean;
}

/** An index: rows read through it come in the order of its keys. */
interface IndexFact {
  /** Columns on which its order, and its rows, depend. */
  readonly keys: readonly string[];
  /** Columns whose values it contains, so that the table needn't be read. */
  readonly holds: readonly string[];
}

export interface RelationFact {
  readonly schema: string;
  readonly name: string;
  readonly oid: number;
  /** As in `pg_class.relkind`. */
  readonly kind: string;
  /** Whether the role may read any of its columns. */
  readonly readable: boolean;
  readonly columns: readonly ColumnFact[];
  /**
   * Whether casts or checks of the database's own run when its values are used: of a column's type or of the row's.
   */
  readonly coded: boolean;
  /** The condition for rows of this partition, on columns of its parent tables. */
  readonly bound: string | null;
  readonly indexes: readonly IndexFact[];
  /**
   * Columns that determine where rows are stored: the keys of partitions, and of the index that the table was
   * clustered on.
   */
  readonly placedBy: readonly string[];
  /** The query of a view. */
  readonly definition: string | null;
  /** The conditions of row-level security for the reader. */
  readonly policies: readonly string[];
  /** Tables from which it inherits and that inherit from it, including partitions. */
  readonly family: readonly (readonly [schema: string, name: string])[];
  /** Columns that a view depends on, according to the server. */
  readonly depends: readonly (readonly [schema: string, table: string, column: string])[];
}

export interface FunctionFact {
  /** Whether it came with PostgreSQL. */
  readonly builtin: boolean;
  readonly volatility: "i" | "s" | "v";
  /** As in `pg_proc.prokind`: `a` for an aggregate. */
  readonly kind: string;
  readonly set: boolean;
  /** Whether equal values of its result type are identical. */
  readonly identical: boolean;
}

interface OperatorFact {
  /** Whether it came with PostgreSQL, or is an extension's immutable C function. */
  readonly trusted: boolean;
}

export interface TypeFact {
  readonly name: string;
  readonly builtin: boolean;
  /** As in `pg_type.typtype`: `e` for an enum. */
  readonly kind: string;
  /** Whether equal values of it are identical. */
  readonly identical: boolean;
  /** Whether it has casts with the database's own code. */
  readonly coded: boolean;
}

interface ServerFact {
  readonly version: number;
  /** The database's encoding of texts and names. */
  readonly encoding: string;
  /** Whether PostgreSQL's own types have a cast with the database's own code. */
  readonly plainCasts: boolean;
  /** Whether values are compared or sorted by the database's own code (operator classes). */
  readonly ownOrders: boolean;
}

/** Columns touched by one reading. More are refused, because others wait meanwhile. */
const MAX_TOUCHES = 500_000;

/** A reading takes too long. */
export class TooMuchToRead extends Error {}

export class Facts {
  readonly #loaded: ReadonlyMap<string, string | null>;
  readonly #parsed = new Map<string, Fields | readonly unknown[] | null>();
  readonly #missing = new Map<string, FactName>();
  #touches = 0;

  /** @param loaded JSON by `keyOf` the name; null for a name without a meaning */
  constructor(loaded: ReadonlyMap<string, string | null>) {
    this.#loaded = loaded;
  }

  /** Call this for each column that is touched. */
  countTouch(): void {
    this.#touches += 1;
    if (this.#touches > MAX_TOUCHES) throw new TooMuchToRead();
  }

  get missing(): readonly FactName[] {
    return [...this.#missing.values()];
  }

  relation(schema: string | null, name: string): RelationFact | null {
    return this.#find({ kind: "relation", schema, name }) as RelationFact | null;
  }

  functions(schema: string | null, name: string): readonly FunctionFact[] {
    return (this.#find({ kind: "function", schema, name }) ?? []) as readonly FunctionFact[];
  }

  operators(schema: string | null, name: string): readonly OperatorFact[] {
    return (this.#find({ kind: "operator", schema, name }) ?? []) as readonly OperatorFact[];
  }

  type(schema: string | null, name: string): TypeFact | null {
    return this.#find({ kind: "type", schema, name }) as TypeFact | null;
  }

  server(): ServerFact | null {
    return this.#find({ kind: "server", schema: null, name: "" }) as ServerFact | null;
  }

  // INVARIANT: the statement in `load-facts.ts` produces this JSON in the shape of each kind.
  #find(wanted: FactName): Fields | readonly unknown[] | null {
    const key = keyOf(wanted);
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    const text = this.#loaded.get(key);
    if (text === undefined) this.#missing.set(key, wanted);
    const fact = text === undefined || text === null ? null : parseJson<Fields | readonly unknown[]>(text);
    this.#parsed.set(key, fact);
    return fact;
  }
}

export const keyOf = ({ kind, schema, name }: FactName): string => JSON.stringify([kind, schema, name]);
