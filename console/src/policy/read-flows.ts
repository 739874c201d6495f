/** The matrix of flows by cell, and by tool. */
import type { Schema } from "../api/client.ts";

export type Flows = Schema<"Flows">;
export type Flow = Flows["cells"][number][number];

/** A cell by its row and column, from 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** A cell's content as a word. */
export const FLOW_WORDS: Readonly<Record<Flow, string>> = {
  may: "may",
  release: "with a release",
  "may-not": "may not",
};

export const flowAt = ({ cells }: Flows, { row, column }: Cell): Flow => cells[row]?.[column] ?? "may-not";

/** A tool's position: the row of its source, the column of its sink; -1 for none. */
export const placesOf = ({ sources, sinks }: Flows, tool: string | undefined): Cell => ({
  row: tool === undefined ? -1 : sources.findIndex(({ tools }) => tools.includes(tool)),
  column: tool === undefined ? -1 : sinks.findIndex(({ tools }) => tools.includes(tool)),
});

/** Every tool in the matrix, once each. */
export const toolsIn = ({ sources, sinks }: Flows): readonly string[] => [
  ...new Set([...sources, ...sinks].flatMap(({ tools }) => tools)),
];

/** Sinks by whether one source's data may flow to them. */
export function sinksBy(flows: Flows, row: number, flow: Flow): Flows["sinks"] {
  return flows.sinks.filter((_, column) => flowAt(flows, { row, column }) === flow);
}

/** Sources by whether their data may flow to one sink. */
export function sourcesBy(flows: Flows, column: number, flow: Flow): Flows["sources"] {
  return flows.sources.filter((_, row) => flowAt(flows, { row, column }) === flow);
}

/** The cell that a key moves to; null for other keys. */
export function cellByKey({ row, column }: Cell, key: string, { sources, sinks }: Flows): Cell | null {
  const [lastRow, lastColumn] = [sources.length - 1, sinks.length - 1];
  switch (key) {
    case "ArrowUp":
      return { row: Math.max(0, row - 1), column };
    case "ArrowDown":
      return { row: Math.min(lastRow, row + 1), column };
    case "ArrowLeft":
      return { row, column: Math.max(0, column - 1) };
    case "ArrowRight":
      return { row, column: Math.min(lastColumn, column + 1) };
    case "Home":
      return { row, column: 0 };
    case "End":
      return { row, column: lastColumn };
    default:
      return null;
  }
}
