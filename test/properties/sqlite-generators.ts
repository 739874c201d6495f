/**
 * Random SQLite databases and queries. Names of columns are few, so that tables share them; values are few, so that
 * rows are alike and much hangs on which of them comes first.
 */
/** Draws from a case: a whole number below `count`. */
export type Draw = (count: number) => number;

export type Value = number | string | null;

export interface RandomTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly declared: string }[];
  /** Columns whose values must differ and be there. */
  readonly key: string | null;
  /** Columns that are made from others. */
  readonly generated: readonly string[];
  readonly statements: readonly string[];
}

export interface RandomDatabase {
  readonly tables: readonly RandomTable[];
  readonly views: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly sql: string;
  }[];
  /** The rows of each table, by column. */
  readonly rows: ReadonlyMap<string, readonly ReadonlyMap<string, Value>[]>;
}

const COLUMNS = ["a", "b", "c", "d", "Name"] as const;
const TYPES = ["INTEGER", "TEXT", "TEXT COLLATE NOCASE", "REAL", "", "TEXT COLLATE RTRIM"] as const;
const VALUES: readonly Value[] = [0, 1, 2, 3, "a", "A", "b", "a ", "1", null, 0.1, 1e16, -1e16, 9.5];

export const drawn = (draw: Draw): (<Item>(items: readonly Item[]) => Item) => {
  return (items) => items[draw(items.length)] as (typeof items)[number];
};

const randomValue = (draw: Draw): Value => drawn(draw)(VALUES);

export function randomDatabase(draw: Draw): RandomDatabase {
  const tables = Array.from({ length: 2 + draw(2) }, (_, index) => randomTable(draw, `t${index}`));
  const rows = new Map(tables.map((table) => [table.name, randomRows(draw, table)]));
  const views: { name: string; columns: readonly string[]; sql: string }[] = [];
  for (let index = 0; index < draw(3); index += 1) {
    const writer = new QueryWriter(draw, [...tables.map(toRelation), ...views]);
    const columns = ["a", "x", "y"].slice(0, 1 + draw(3));
    const body = writer.query(columns.length, 2);
    views.push({
      name: `v${index}`,
      columns,
      sql: `CREATE VIEW v${index}(${columns.join(", ")}) AS ${body}`,
    });
  }
  return { tables, views, rows };
}

const toRelation = ({ name, columns }: RandomTable): Relation => ({
  name,
  columns: columns.map((column) => column.name),
});

function randomTable(draw: Draw, name: string): RandomTable {
  const pick = drawn(draw);
  const kind = pick(["rowid", "rowid", "integer", "integer", "without rowid"] as const);
  const names = COLUMNS.filter(() => draw(4) > 0);
  const plain = names.length > 0 ? names : ["a"];
  const columns = plain.map((column) => ({ name: column as string, declared: pick(TYPES) as string }));
  if (kind !== "rowid")
    columns.unshift({ name: "id", declared: kind === "integer" ? "INTEGER PRIMARY KEY" : "" });
  const generated: string[] = [];
  if (draw(4) === 0) {
    const [left, right] = [pick(columns).name, pick(columns).name];
    const stored = kind === "without rowid" || draw(2) === 0 ? "STORED" : "VIRTUAL";
    columns.push({ name: "g", declared: `AS (${left} || ${right}) ${stored}` });
    generated.push("g");
    if (draw(2) === 0) {
      columns.push({ name: "h", declared: "GENERATED ALWAYS AS (g || 'x')" });
      generated.push("h");
    }
  }
  const body = columns.map((column) => `${column.name} ${column.declared}`);
  if (kind === "without rowid") body.push("PRIMARY KEY (id)");
  const statements = [
    `CREATE TABLE ${name} (${body.join(", ")})${kind === "without rowid" ? " WITHOUT ROWID" : ""}`,
    ...Array.from({ length: draw(4) }, (_, index) => randomIndex(draw, name, index, columns)),
  ];
  return { name, columns, key: kind === "rowid" ? null : "id", generated, statements };
}

function randomIndex(draw: Draw, table: string, index: number, columns: RandomTable["columns"]): string {
  const pick = drawn(draw);
  const own = Array.from({ length: 1 + draw(3) }, () => pick(columns).name);
  const expressions = draw(6) === 0 ? [`length(${pick(columns).name})`] : [];
  const where = draw(5) === 0 ? ` WHERE ${pick(columns).name} IS NOT NULL` : "";
  const named = [...expressions, ...new Set(own)].map((one) => `${one}${pick(["", "", " DESC"])}`);
  return `CREATE INDEX ${table}_i${index} ON ${table} (${named.join(", ")})${where}`;
}

function randomRows(draw: Draw, table: RandomTable): readonly ReadonlyMap<string, Value>[] {
  return Array.from({ length: draw(7) }, (_, index) => {
    const own = table.columns.filter(({ name }) => !table.generated.includes(name));
    return new Map(
      own.map(({ name }) => [name, name === table.key ? index * 3 + draw(3) : randomValue(draw)]),
    );
  });
}

/** The same rows with other values wherever they aren't to be kept; of a table that nothing reads, other rows. */
export function changedRows(
  draw: Draw,
  { tables, rows }: RandomDatabase,
  isKept: (table: string, column: string) => boolean,
  isRead: (table: string) => boolean,
): RandomDatabase["rows"] {
  return new Map(
    tables.map((table) => {
      const old = rows.get(table.name) ?? [];
      if (!isRead(table.name)) return [table.name, randomRows(draw, table)];
      const turn = draw(8);
      const change = (column: string, value: Value, index: number): Value => {
        if (isKept(table.name, column)) return value;
        return column === table.key ? newKey(old.length, index, turn) : randomValue(draw);
      };
      return [
        table.name,
        old.map((row, index) => new Map([...row].map(([name, value]) => [name, change(name, value, index)]))),
      ];
    }),
  );
}

/** Keys in another order. */
function newKey(count: number, index: number, turn: number): number {
  const place = (index + turn) % count;
  return 100 + (turn % 2 === 0 ? place : count - place);
}

interface Relation {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Writes queries that mostly make sense; those that don't are refused, and tell nothing. */
export class QueryWriter {
  readonly #draw: Draw;
  readonly #relations: readonly Relation[];
  #names = 0;

  constructor(draw: Draw, relations: readonly Relation[]) {
    this.#draw = draw;
    this.#relations = relations;
  }

  static over(draw: Draw, { tables, views }: RandomDatabase): QueryWriter {
    return new QueryWriter(draw, [...tables.map(toRelation), ...views]);
  }

  /** A whole query of some columns: WITH, a set operation, ORDER BY, LIMIT. */
  query(width: number, depth: number): string {
    const withs: string[] = [];
    const relations = [...this.#relations];
    if (depth > 0 && this.#chance(4)) {
      const name = this.#name("w");
      const columns = ["a", "k"].slice(0, 1 + this.#draw(2));
      const hint = this.#pick(["", "", " MATERIALIZED", " NOT MATERIALIZED"]);
      if (this.#chance(4)) {
        withs.push(`${name}(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ${name} WHERE n < 3)`);
        relations.push({ name, columns: ["n"] });
      } else {
        withs.push(`${name}(${columns.join(", ")}) AS${hint} (${this.query(columns.length, depth - 1)})`);
        relations.push({ name, columns });
      }
    }
    const inner = new QueryWriter(this.#draw, relations);
    inner.#names = this.#names + 100 * depth + 1;
    const head = withs.length === 0 ? "" : `WITH ${this.#pick(["", "RECURSIVE "])}${withs.join(", ")} `;
    const operator =
      depth > 0 && this.#chance(6) ? this.#pick(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]) : null;
    const body = inner.#select(width, depth);
    const whole =
      operator === null ? body : `${body} ${operator} ${inner.#select(width, Math.max(0, depth - 1))}`;
    return `${head}${whole}${this.#orderBy(width)}${this.#limit()}`;
  }

  #orderBy(width: number): string {
    if (this.#chance(2)) return "";
    const terms = Array.from(
      { length: 1 + this.#draw(2) },
      () => `${1 + this.#draw(width)}${this.#pick(["", " DESC", " COLLATE NOCASE"])}`,
    );
    return ` ORDER BY ${terms.join(", ")}`;
  }

  #limit(): string {
    if (!this.#chance(4)) return "";
    return ` LIMIT ${1 + this.#draw(3)}${this.#pick(["", "", " OFFSET 1"])}`;
  }

  #select(width: number, depth: number): string {
    const { from, scope } = this.#from(depth);
    const where = this.#chance(2) ? ` WHERE ${this.#condition(scope, depth)}` : "";
    const way = this.#draw(6);
    if (way === 0) return this.#grouped(width, depth, from, scope, where);
    const distinct = this.#pick(["", "", "", "DISTINCT "]);
    const items = Array.from({ length: width }, () =>
      way === 1 ? this.#windowed(scope, depth) : this.#expression(scope, depth),
    );
    return `SELECT ${distinct}${items.join(", ")} FROM ${from}${where}`;
  }

  #grouped(width: number, depth: number, from: string, scope: readonly string[], where: string): string {
    const items = Array.from({ length: width }, () =>
      this.#chance(3) ? this.#expression(scope, 0) : this.#aggregate(scope, depth),
    );
    const group = this.#chance(3) ? "" : ` GROUP BY ${this.#pick(scope)}`;
    const having = group !== "" && this.#chance(3) ? ` HAVING ${this.#aggregate(scope, 0)} > 0` : "";
    return `SELECT ${items.join(", ")} FROM ${from}${where}${group}${having}`;
  }

  #aggregate(scope: readonly string[], depth: number): string {
    const value = this.#chance(2) ? this.#pick(scope) : this.#expression(scope, Math.min(depth, 1));
    const filter = this.#chance(5) ? ` FILTER (WHERE ${this.#condition(scope, 0)})` : "";
    const call = this.#pick([
      "count(*)",
      `count(${value})`,
      `count(DISTINCT ${value})`,
      `sum(${value})`,
      `total(${value})`,
      `avg(${value})`,
      `min(${value})`,
      `max(${value})`,
      `group_concat(${value})`,
      `group_concat(${value}, '-' ORDER BY ${this.#pick(scope)})`,
      `json_group_array(${value})`,
    ]);
    return `${call}${filter}`;
  }

  #windowed(scope: readonly string[], depth: number): string {
    const call = this.#pick([
      "row_number()",
      "rank()",
      `lag(${this.#pick(scope)})`,
      `first_value(${this.#pick(scope)})`,
      `sum(${this.#expression(scope, Math.min(depth, 1))})`,
      "count(*)",
    ]);
    const partition = this.#chance(2) ? `PARTITION BY ${this.#pick(scope)} ` : "";
    const order = this.#chance(2) ? `ORDER BY ${this.#pick(scope)}` : "";
    return `${call} OVER (${partition}${order})`;
  }

  #from(depth: number): { readonly from: string; readonly scope: readonly string[] } {
    const first = this.#source(depth);
    const scope = [...first.scope];
    let from = first.from;
    for (let joins = this.#pick([0, 0, 1, 1, 2]); joins > 0; joins -= 1) {
      const next = this.#source(depth);
      const side = this.#pick(["", "", "LEFT ", "FULL ", "RIGHT "]);
      const common = next.columns.filter((column) => first.columns.includes(column));
      const way = this.#draw(5);
      if (way === 0) from += ` NATURAL ${side}JOIN ${next.from}`;
      else if (way === 1 && common.length > 0)
        from += ` ${side}JOIN ${next.from} USING (${this.#pick(common)})`;
      else if (way === 2) from += `, ${next.from}`;
      else from += ` ${side}JOIN ${next.from} ON ${this.#condition([...scope, ...next.scope], 0)}`;
      scope.push(...next.scope);
    }
    return { from, scope };
  }

  #source(depth: number): { from: string; scope: readonly string[]; columns: readonly string[] } {
    const alias = this.#name("s");
    if (depth > 0 && this.#chance(4)) {
      const { name, columns } = this.#pick(this.#relations);
      const [body, names] = this.#chance(2)
        ? [`SELECT * FROM ${name}${this.#limit()}`, columns]
        : [this.query(1, depth - 1), []];
      return {
        from: `(${body}) AS ${alias}`,
        scope: names.length > 0 ? qualified(alias, names) : ["1"],
        columns: names,
      };
    }
    const { name, columns } = this.#pick(this.#relations);
    return { from: `${name} AS ${alias}`, scope: qualified(alias, columns), columns };
  }

  #expression(scope: readonly string[], depth: number): string {
    const column = this.#pick(scope);
    if (depth === 0 || this.#chance(2)) return column;
    const other = this.#expression(scope, depth - 1);
    return this.#pick([
      `${column} || ${other}`,
      `${column} + ${other}`,
      `coalesce(${column}, ${other})`,
      `CASE WHEN ${this.#condition(scope, 0)} THEN ${column} ELSE ${other} END`,
      `length(${other})`,
      `typeof(${column})`,
      `substr(${other}, 1, 1)`,
      `CAST(${other} AS TEXT)`,
      `json_array(${column}, ${other})`,
      `(${this.query(1, depth - 1)})`,
      `EXISTS (${this.#correlated(scope, depth - 1)})`,
      `(${this.#correlated(scope, depth - 1)})`,
    ]);
  }

  #correlated(scope: readonly string[], depth: number): string {
    const { from, scope: own } = this.#from(depth);
    const item = this.#pick([...own, "count(*)", `max(${this.#pick(own)})`]);
    return `SELECT ${item} FROM ${from} WHERE ${this.#pick(own)} = ${this.#pick(scope)}${this.#limit()}`;
  }

  #condition(scope: readonly string[], depth: number): string {
    const column = this.#pick(scope);
    const value = this.#pick(["1", "'a'", "0.1", "NULL", this.#pick(scope)]);
    const plain = [
      `${column} = ${value}`,
      `${column} > ${value}`,
      `${column} IS NOT NULL`,
      `${column} LIKE 'a%'`,
      `${column} IN (1, 'a', ${value})`,
      `${column} BETWEEN 0 AND 2`,
      "1",
      // SQLite drops the second part, and remembers that it names a column.
      `(1 OR ${column})`,
    ];
    if (depth === 0) return this.#pick(plain);
    return this.#pick([
      ...plain,
      `(${this.#condition(scope, depth - 1)} OR ${this.#condition(scope, depth - 1)})`,
      `${column} IN (${this.query(1, depth - 1)})`,
      `NOT EXISTS (${this.#correlated(scope, depth - 1)})`,
    ]);
  }

  #name(start: string): string {
    this.#names += 1;
    return `${start}${this.#names}`;
  }

  #pick<Item>(items: readonly Item[]): Item {
    return drawn(this.#draw)(items);
  }

  #chance(oneIn: number): boolean {
    return this.#draw(oneIn) === 0;
  }
}

const qualified = (alias: string, columns: readonly string[]): readonly string[] =>
  columns.map((column) => `${alias}.${column}`);
