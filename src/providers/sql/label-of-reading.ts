/** The label of what a query reads. Pure. */
import type { Label } from "../../core/index.ts";
import { type ColumnLabels, joinAll } from "./column-labels.ts";
import type { AggregateReading, ColumnName, SqlReading } from "./sql-engine.ts";

/** The join of everything that a query reads; of nothing at all, the least label. */
export function labelOfReading(reading: SqlReading, labels: ColumnLabels): Label {
  return joinAll(labels.lattice, [
    ...(reading.unresolved === null ? [] : [labels.worst, labels.declared.catalog]),
    ...reading.columns.map(labels.ofColumn),
    ...reading.tables.map(labels.ofRowCount),
    ...reading.aggregated.map((aggregate) => labelOfAggregate(aggregate, labels)),
    ...(reading.catalog || !isDeclared(reading.named ?? [], labels) ? [labels.declared.catalog] : []),
  ]);
}

/** Whether the policy itself names all of these columns. */
const isDeclared = (columns: readonly ColumnName[], labels: ColumnLabels): boolean =>
  columns.every(labels.isDeclared);

/** A declared aggregate has its own label; of any other, what it is made of counts. */
function labelOfAggregate({ columns, tables, ...aggregate }: AggregateReading, labels: ColumnLabels): Label {
  const declared = labels.declared.aggregates.get(aggregate.function);
  if (declared !== undefined) return declared;
  return joinAll(labels.lattice, [...columns.map(labels.ofColumn), ...tables.map(labels.ofRowCount)]);
}
