import { describe, expect, it } from "vitest";
import { createLabel, DEFAULT_LATTICE, type Label } from "../../core/index.ts";
import { type DatabaseLabels, labelOfReading, toColumnLabels } from "./column-labels.ts";
import type { SqlReading } from "./sql-engine.ts";

const label = (level: string, ...categories: string[]): Label => createLabel(level, categories, "trusted");
const NOTHING: SqlReading = { columns: [], tables: [], aggregated: [], catalog: false, unresolved: null };
const DECLARED: DatabaseLabels = {
  label: label("confidential"),
  catalog: label("internal"),
  columns: new Map([
    ["people.name", label("internal")],
    ["people.*", label("confidential", "hr")],
    ["sales.people.name", label("secret")],
    ["sales.people.*", label("public")],
    ["Mixed.Case", label("public")],
    ["mixed.case", label("internal")],
  ]),
  aggregates: new Map([["count", label("public")]]),
};
const lower = (name: string) => name.toLowerCase();
const labels = toColumnLabels(DECLARED, DEFAULT_LATTICE, lower);
const of = (reading: Partial<SqlReading>): Label => labelOfReading({ ...NOTHING, ...reading }, labels);
const column = (table: string, name: string, schema: string | null = null) => ({
  schema,
  table,
  column: name,
});
const table = (name: string, ...columns: string[]) => ({ schema: null, table: name, columns });

describe("the label of a column", () => {
  it.each<[string | null, string, string, Label]>([
    [null, "people", "name", label("internal")],
    [null, "PEOPLE", "Name", label("internal")],
    [null, "people", "salary", label("confidential", "hr")],
    [null, "orders", "id", label("confidential")],
    ["sales", "people", "name", label("secret")],
    // The table's own key before those of all its columns.
    ["other", "people", "name", label("internal")],
    ["sales", "people", "age", label("public")],
    ["other", "people", "age", label("confidential", "hr")],
    // Two keys that are one name count both.
    [null, "mixed", "case", label("internal")],
    [null, "constructor", "__proto__", label("confidential")],
  ])("is that of the most specific key: %s %s.%s (X11-sqlite)", (schema, table, name, expected) => {
    expect(labels.ofColumn(column(table, name, schema))).toEqual(expected);
  });

  it("is told apart by case where the engine does (X11-sqlite)", () => {
    const exact = toColumnLabels(DECLARED, DEFAULT_LATTICE, (name) => name);
    expect(exact.ofColumn(column("PEOPLE", "name"))).toEqual(label("confidential"));
    expect(exact.ofColumn(column("Mixed", "Case"))).toEqual(label("public"));
  });
});

describe("the label of a reading", () => {
  it("is the join of all that is read, and the least for nothing (X11-sqlite)", () => {
    expect(of({})).toEqual(label("public"));
    expect(of({ columns: [column("people", "name")], catalog: true })).toEqual(label("internal"));
    expect(of({ columns: [column("people", "name"), column("people", "age")] })).toEqual(
      label("confidential", "hr"),
    );
    expect(of({ catalog: true })).toEqual(label("internal"));
  });

  it("is that of the least sensitive column for a number of rows (X11-sqlite)", () => {
    expect(of({ tables: [table("people", "name", "age")] })).toEqual(label("internal"));
    expect(of({ tables: [table("people", "age")] })).toEqual(label("confidential", "hr"));
  });

  it("is the database's where no column is the least, and the worst where none is known (X11-sqlite)", () => {
    const apart = toColumnLabels(
      {
        ...DECLARED,
        columns: new Map([
          ["t.a", label("internal", "a")],
          ["t.b", label("internal", "b")],
        ]),
      },
      DEFAULT_LATTICE,
      lower,
    );
    expect(apart.ofRowCount(table("t", "a", "b"))).toEqual(label("confidential"));
    expect(apart.ofRowCount({ schema: null, table: "t" })).toEqual(label("confidential", "a", "b"));
  });

  it("is an aggregate's own where it is declared, else that of what it is made of (X11-sqlite)", () => {
    const aggregated = (name: string) => [
      { function: name, columns: [column("people", "age")], tables: [table("people", "name")] },
    ];
    expect(of({ aggregated: aggregated("count") })).toEqual(label("public"));
    expect(of({ aggregated: aggregated("sum") })).toEqual(label("confidential", "hr"));
    expect(of({ aggregated: [...aggregated("count"), ...aggregated("max")] })).toEqual(
      label("confidential", "hr"),
    );
  });

  it("is the catalogue's too, where a column is named that isn't read and that no key names (X11-sqlite)", () => {
    expect(of({ named: [column("people", "name")] })).toEqual(label("public"));
    expect(of({ named: [column("people", "name"), column("people", "age")] })).toEqual(label("internal"));
  });

  it("is the worst of the database where something can't be resolved (X11-sqlite)", () => {
    expect(of({ unresolved: "It was too hard." })).toEqual(label("secret", "hr"));
  });
});
