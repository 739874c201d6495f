/** Turns a table or view into an item of a FROM: which columns of base tables are behind each of its own. */
import type { FunctionFact, RelationFact } from "../facts.ts";
import {
  type Fields,
  flagIn,
  holdsKind,
  namesIn,
  nodeIn,
  nodesIn,
  nodesOfKind,
  type TreeNode,
} from "../parsing/parse-tree.ts";
import type { ValueKind } from "../value-identity.ts";
import { Dependencies, type Forbidden } from "./dependencies.ts";
import type { ReadingContext, ViewReading } from "./reading-context.ts";
import type { Entry } from "./scope.ts";
import { isSystemRelation, judgeSystemColumn, judgeSystemRelation } from "./system-relations.ts";

/** Finds a relation by name, and notes what reading any row of it depends on. */
export function readRelation(context: ReadingContext, schema: string | null, name: string): Entry {
  const fact = context.facts.relation(schema, name);
  if (fact === null) return unknownEntry(context, name);
  if (isSystemRelation(fact.schema, fact.name)) return systemEntry(context, fact);
  // Behind a view, its owner's rights count.
  if (!fact.readable && !context.stored) context.reads.forbid(notReadable(name));
  noteTypes(context, fact);
  if (fact.kind === "v" || fact.kind === "m") return viewEntry(context, fact);
  if (!"rpf".includes(fact.kind)) return unknownEntry(context, name);
  for (const relative of [fact, ...familyOf(context, fact)]) {
    context.reads.addTable(relative.schema, relative.name, [...columnsOf(relative)]);
  }
  // Which rows a partition contains reveals the columns of its condition.
  if (fact.bound !== null) readStored(context, fact, fact.bound, context.reads);
  readPolicies(context, fact);
  for (const relative of [fact, ...familyOf(context, fact)]) {
    noteOrder(context, relative, (column, reads) => touchTable(context, relative, column, reads));
  }
  return tableEntry(context, fact);
}

const notReadable = (name: string): Forbidden => ({
  message: `\`${name}\` may not be read here.`,
  why: "The database's user has no right to it.",
  fix: "Leave it out. `list_tables` says which tables there are.",
});

/** Notes what the order of a relation's rows may depend on: how they are stored, and indexes. */
function noteOrder(context: ReadingContext, fact: RelationFact, touch: Entry["touch"]): void {
  const readsOf = (columns: readonly string[]): Dependencies => {
    const reads = new Dependencies();
    for (const column of columns) touch(column, reads);
    return reads;
  };
  context.reads.addPlaces(readsOf(fact.placedBy));
  if (fact.indexes.length === 0) return;
  const stored = readsOf(fact.columns.flatMap(({ name, virtual }) => (virtual ? [] : [name])));
  for (const [place, { keys, holds }] of fact.indexes.entries()) {
    context.reads.addIndex(`${fact.oid} ${place}`, { keys: readsOf(keys), holds: readsOf(holds), stored });
  }
}

function readPolicies(context: ReadingContext, fact: RelationFact): void {
  if (context.policed.has(fact.oid)) return;
  context.policed.add(fact.oid);
  for (const policy of fact.policies) readStored(context, fact, policy, context.reads);
  context.policed.delete(fact.oid);
}

function unknownEntry(context: ReadingContext, name: string): Entry {
  context.reads.leaveUnresolved(`It isn't known what \`${name}\` holds.`);
  return {
    name,
    columns: new Set(),
    open: true,
    touch: () => {},
    touchAll: () => {},
    dependOnUnknown: () => {},
  };
}

const columnsOf = (fact: RelationFact): ReadonlySet<string> => new Set(fact.columns.map(({ name }) => name));

const kindIn = (fact: RelationFact, column: string): ValueKind =>
  fact.columns.some(({ name, identical }) => name === column && identical) ? "identical" : "plain";

/** Casts and checks of the database's own run wherever a value of their type is used. */
function noteTypes(context: ReadingContext, fact: RelationFact): void {
  if (fact.coded)
    context.reads.addOwnCode(`What a value of \`${fact.name}\` does where it is used isn't known.`);
}

function tableEntry(context: ReadingContext, fact: RelationFact): Entry {
  const relatives = [fact, ...familyOf(context, fact)];
  const touch = (column: string, reads: Dependencies): void => {
    for (const relative of relatives) touchTable(context, relative, column, reads);
  };
  return {
    name: fact.name,
    columns: columnsOf(fact),
    open: false,
    kindOf: (column) => kindIn(fact, column),
    dependOnUnknown: () => {},
    touch,
    touchAll: (reads) => {
      for (const { name } of fact.columns) touch(name, reads);
    },
  };
}

const familyOf = (context: ReadingContext, fact: RelationFact): readonly RelationFact[] =>
  fact.family.flatMap(([schema, name]) => context.facts.relation(schema, name) ?? []);

function touchTable(context: ReadingContext, fact: RelationFact, column: string, reads: Dependencies): void {
  context.facts.countTouch();
  const found = fact.columns.find(({ name }) => name === column);
  if (found === undefined || reads.hasColumn(fact.schema, fact.name, column)) return;
  reads.addColumn(fact.schema, fact.name, column);
  if (found.virtual) reads.addWork();
  if (found.generated === null) return;
  reads.addComputation();
  readStored(context, fact, found.generated, reads);
}

/** Reads an expression stored in the database: a policy, or that of a generated column. */
function readStored(
  context: ReadingContext,
  fact: RelationFact,
  expression: string,
  reads: Dependencies,
): void {
  const select = context.parse(`SELECT (${expression})`);
  if (select === null) {
    reads.leaveUnresolved(`An expression kept for \`${fact.name}\` can't be followed.`);
    return;
  }
  const level = { entries: [tableEntry(context, fact)], complete: true, outer: null };
  context.readSelect(select, { ...keptBy(context, reads), level }, "none");
}

const keptBy = (context: ReadingContext, reads: Dependencies): ReadingContext => ({
  ...context,
  reads,
  level: null,
  ctes: new Map(),
  stored: true,
  outermost: false,
});

function systemEntry(context: ReadingContext, fact: RelationFact): Entry {
  const { schema, name } = fact;
  const verdict = judgeSystemRelation(schema, name);
  if (verdict === "forbidden" && !context.stored) {
    context.reads.forbid({
      message: `\`${name}\` may not be read here.`,
      why: "It holds passwords, settings, files or what other sessions do.",
      fix: "Leave it out. `list_tables` and `describe_table` say which tables there are.",
    });
  }
  const note = (use: string, reads: Dependencies): void =>
    use === "names" ? reads.addCatalog() : reads.leaveUnresolved(`It isn't known what \`${name}\` holds.`);
  note(verdict, context.reads);
  return {
    name,
    columns: columnsOf(fact),
    open: false,
    kindOf: (column) => kindIn(fact, column),
    dependOnUnknown: () => {},
    touch: (column, reads) => note(judgeSystemColumn(schema, name, column), reads),
    touchAll: (reads) => {
      for (const column of fact.columns) note(judgeSystemColumn(schema, name, column.name), reads);
    },
  };
}

function viewEntry(context: ReadingContext, fact: RelationFact): Entry {
  const view = viewReading(context, fact);
  context.reads.merge(view.rows);
  const entry: Entry = {
    name: fact.name,
    columns: columnsOf(fact),
    open: false,
    kindOf: (column) => kindIn(fact, column),
    dependOnUnknown: () => {},
    touch: (column, reads) => {
      const output = view.outputs?.get(column);
      if (output !== undefined) reads.merge(output);
    },
    touchAll: (reads) => {
      for (const output of view.outputs?.values() ?? []) reads.merge(output);
    },
  };
  noteOrder(context, fact, entry.touch);
  return entry;
}

function viewReading(context: ReadingContext, fact: RelationFact): ViewReading {
  const key = `${fact.oid} ${context.inWith}`;
  const known = context.views.get(key);
  if (known !== undefined && known !== "busy") return known;
  const select = fact.definition === null || known === "busy" ? null : context.parse(fact.definition);
  if (select === null) return opaque(fact);
  context.views.set(key, "busy");
  const reading = readDefinition(context, fact, select);
  context.views.set(key, reading);
  return reading;
}

function opaque(fact: RelationFact): ViewReading {
  const rows = new Dependencies();
  rows.leaveUnresolved(`The definition of \`${fact.name}\` can't be followed.`);
  return { rows, outputs: null };
}

function readDefinition(context: ReadingContext, fact: RelationFact, select: Fields): ViewReading {
  const rows = new Dependencies();
  const derived = context.readSelect(
    select,
    keptBy(context, rows),
    givesRowForRow(context, select) ? (context.inWith ? "columns" : "all") : "none",
  );
  const all = new Dependencies();
  all.merge(rows);
  for (const output of derived.places ?? derived.outputs.values()) all.merge(output);
  // INVARIANT: checked against the server's own list of the columns that a view depends on.
  if (!fact.depends.every(([schema, table, column]) => all.hasColumn(schema, table, column)))
    return opaque(fact);
  const places = derived.places;
  if (places === null || places.length !== fact.columns.length) return { rows: all, outputs: null };
  return { rows, outputs: new Map(fact.columns.map(({ name }, place) => [name, places[place] ?? all])) };
}

/** A volatile function is computed for every row, read or not. */
const isForOneRow = ({ kind, set, volatility }: FunctionFact): boolean =>
  kind === "f" && !set && volatility !== "v";

/** Whether each row of a view comes from one row of its FROM, so that an output is computed only for its readers. */
function givesRowForRow(context: ReadingContext, select: Fields): boolean {
  return nodesIn(select, "targetList").every((target) => isRowWise(context, target));
}

function isRowWise(context: ReadingContext, node: TreeNode): boolean {
  if (holdsKind(node, "JsonArrayAgg") || holdsKind(node, "JsonObjectAgg") || holdsKind(node, "A_Star"))
    return false;
  return nodesOfKind(node, "FuncCall").every(({ fields }) => {
    const [name = "", schema = null] = namesIn(fields, "funcname").toReversed();
    const plain = nodeIn(fields, "over") === null && !flagIn(fields, "agg_star");
    const candidates = context.facts.functions(schema, name);
    return plain && candidates.length > 0 && candidates.every(isForOneRow);
  });
}
