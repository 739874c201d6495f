/** A cell of the matrix as a sentence. */
import type { ReactNode } from "react";
import { useLattice } from "../api/use-lattice.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { describeClearances, describeSource } from "./describe-labels.ts";
import styles from "./flows.module.css";
import { type Cell, type Flow, type Flows, flowAt } from "./read-flows.ts";
import { FirstTool } from "./tool-names.tsx";

export interface FlowSentenceProps {
  readonly flows: Flows;
  readonly cell: Cell | null;
}

const ENDS: Readonly<Record<Flow, (isOne: boolean) => string>> = {
  may: (isOne) => (isOne ? "stays open." : "stay open."),
  release: (isOne) =>
    isOne ? "is shut, but a person may release a call." : "are shut, but a person may release a call.",
  "may-not": (isOne) => (isOne ? "is shut." : "are shut."),
};

export function FlowSentence({ flows, cell }: FlowSentenceProps): ReactNode {
  const lattice = useLattice();
  const source = cell && flows.sources[cell.row];
  const sink = cell && flows.sinks[cell.column];
  return (
    <p className={styles.sentence} aria-live="polite">
      {cell && source && sink ? (
        <>
          After <FirstTool tools={source.tools} /> (
          <VisibleText>{describeSource(source.label, lattice)}</VisibleText>
          ), <FirstTool tools={sink.tools} /> (
          <VisibleText>{describeClearances(sink.clearances, lattice)}</VisibleText>){" "}
          <strong>{ENDS[flowAt(flows, cell)](sink.tools.length === 1)}</strong>
        </>
      ) : (
        <span className={styles.hint}>Point at a cell, or go along them with the arrow keys.</span>
      )}
    </p>
  );
}
