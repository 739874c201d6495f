/**
 * What a reading has to know of the catalogue, by name. Asked for a name that it doesn't hold, it notes that down:
 * whoever asked goes on, and is started again once those facts have been loaded.
 */
import type { Fields } from "./parse-tree.ts";

export type FactKind = "relation" | "function" | "operator" | "type" | "server";

export interface FactName {
  readonly kind: FactKind;
  /** Null for a name without one, which the search path finds. */
  readonly schema: string | null;
  readonly name: string;
}

export interface ColumnFact {
  readonly name: string;
  /** Whether its type is the database's own and may bring code of its own. */
  readonly own: boolean;
  /** The expression that it is generated from. */
  readonly generated: string | null;
  /** Whether that is worked out when it is read. */
  readonly virtual: boolean;
}

export interface RelationFact {
  readonly schema: string;
  readonly name: string;
  readonly oid: number;
  /** As in `pg_class.relkind`. */
  readonly kind: string;
  readonly columns: readonly ColumnFact[];
  /** The query of a view. */
  readonly definition: string | null;
  /** The conditions of row-level security that a reader is held to. */
  readonly policies: readonly string[];
  /** Tables that it inherits from, and that inherit from it, partitions included. */
  readonly family: readonly (readonly [schema: string, name: string])[];
  /** Columns that the server itself says a view depends on. */
  readonly depends: readonly (readonly [schema: string, table: string, column: string])[];
}

export interface FunctionFact {
  /** Whether it came with PostgreSQL. */
  readonly builtin: boolean;
  readonly volatility: "i" | "s" | "v";
  /** As in `pg_proc.prokind`: `a` for an aggregate. */
  readonly kind: string;
  readonly set: boolean;
}

export interface OperatorFact {
  /** Whether it came with PostgreSQL, or is an extension's immutable C function. */
  readonly trusted: boolean;
}

export interface TypeFact {
  readonly name: string;
  readonly builtin: boolean;
  /** As in `pg_type.typtype`: `e` for an enum. */
  readonly kind: string;
}

export interface ServerFact {
  readonly version: number;
  /** Whether somebody gave PostgreSQL's own types a cast with code of its own, and whether any type has one. */
  readonly plainCasts: boolean;
  readonly ownCasts: boolean;
}

export class Facts {
  readonly #loaded: ReadonlyMap<string, string | null>;
  readonly #missing = new Map<string, FactName>();

  /** @param loaded JSON by `keyOf` the name; null for a name that means nothing. */
  constructor(loaded: ReadonlyMap<string, string | null>) {
    this.#loaded = loaded;
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

  // INVARIANT: the JSON is made by the statement of `load-facts.ts`, which gives each kind this shape.
  #find(wanted: FactName): Fields | readonly unknown[] | null {
    const key = keyOf(wanted);
    const text = this.#loaded.get(key);
    if (text === undefined) this.#missing.set(key, wanted);
    return text === undefined || text === null ? null : JSON.parse(text);
  }
}

export const keyOf = ({ kind, schema, name }: FactName): string => JSON.stringify([kind, schema, name]);
