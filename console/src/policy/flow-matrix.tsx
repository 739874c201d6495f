/** The matrix: a row per source, a column per sink, and a word in each cell. */
import { memo, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useLattice } from "../api/use-lattice.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { describeClearances, describeSource } from "./describe-labels.ts";
import styles from "./flows.module.css";
import { Clearances, Source } from "./labels.tsx";
import { type Cell, cellByKey, FLOW_WORDS, type Flow, type Flows, flowAt, sinksBy } from "./read-flows.ts";
import { FirstTool, ToolList } from "./tool-names.tsx";

interface FlowMatrixProps {
  readonly flows: Flows;
  /** The cell of the selected tool; -1 for none. */
  readonly chosen: Cell;
}

/** A scrolling region can be focused and scrolled by keys. */
const SCROLLED = { role: "region", tabIndex: 0, "aria-label": "Sources against sinks" } as const;

export function FlowMatrix({ flows, chosen }: FlowMatrixProps): ReactNode {
  const table = useRef<HTMLTableElement>(null);
  const [pointed, setPointed] = useState<Cell | null>(null);
  const [stop, setStop] = useState<Cell>({ row: 0, column: 0 });
  const point = useCallback((row: number, column: number) => setPointed({ row, column }), []);
  const focus = useCallback((row: number, column: number) => {
    setStop({ row, column });
    setPointed({ row, column });
  }, []);
  const press = (event: React.KeyboardEvent): void => {
    const next = cellByKey(stop, event.key, flows);
    if (next === null || !(event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    buttonAt(table.current, next)?.focus();
  };
  useShown(table, chosen);
  // After a change of the policy there may be fewer.
  const row = Math.min(stop.row, flows.sources.length - 1);
  const column = Math.min(stop.column, flows.sinks.length - 1);
  return (
    <>
      <FlowSentence flows={flows} cell={pointed} />
      <div {...SCROLLED} className={styles.region} onPointerLeave={() => setPointed(null)}>
        <table ref={table} aria-label="Flows" className={styles.matrix} onKeyDown={press}>
          <colgroup>
            <col />
            {flows.sinks.map(({ clearances, releasable }, at) => (
              <col
                key={JSON.stringify([clearances, releasable])}
                className={markOf(at === pointed?.column, at === chosen.column)}
              />
            ))}
          </colgroup>
          <thead>
            <tr>
              <th scope="col" className={styles.corner}>
                <span>After a tool that brings in</span>
                <span>may data go to one that may receive</span>
              </th>
              {flows.sinks.map(({ clearances, releasable, tools }, at) => (
                <th
                  key={JSON.stringify([clearances, releasable])}
                  scope="col"
                  data-pointed={at === pointed?.column}
                  data-chosen={at === chosen.column}
                >
                  <Clearances labels={clearances} />
                  <ToolList tools={tools} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {flows.sources.map((source, at) => (
              <FlowRow
                key={JSON.stringify(source.label)}
                row={at}
                source={source}
                cells={flows.cells[at] ?? NONE}
                isPointed={at === pointed?.row}
                isChosen={at === chosen.row}
                stop={at === row ? column : -1}
                onPoint={point}
                onFocus={focus}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const NONE: readonly Flow[] = [];

const markOf = (isPointed: boolean, isChosen: boolean): string | undefined =>
  isPointed ? styles.pointed : isChosen ? styles.chosen : undefined;

const buttonAt = (table: HTMLTableElement | null, { row, column }: Cell): HTMLButtonElement | null =>
  table?.tBodies[0]?.rows[row]?.querySelectorAll("button")[column] ?? null;

/** A tool that is selected from a list may be out of sight. */
function useShown(table: React.RefObject<HTMLTableElement | null>, { row, column }: Cell): void {
  useEffect(() => {
    if (row < 0 && column < 0) return;
    const { current } = table;
    const cell = buttonAt(current, { row: Math.max(0, row), column: Math.max(0, column) })?.closest("td");
    const head = current?.tHead?.rows[0];
    // Scrolls only the region, not the page.
    current?.parentElement?.scrollTo({
      top: (cell?.offsetTop ?? 0) - (head?.offsetHeight ?? 0),
      left: (cell?.offsetLeft ?? 0) - (head?.cells[0]?.offsetWidth ?? 0),
    });
  }, [table, row, column]);
}

interface FlowRowProps {
  readonly row: number;
  readonly source: Flows["sources"][number];
  readonly cells: readonly Flow[];
  readonly isPointed: boolean;
  readonly isChosen: boolean;
  /** The column of the cell that Tab reaches; -1 if it is in another row. */
  readonly stop: number;
  readonly onPoint: (row: number, column: number) => void;
  readonly onFocus: (row: number, column: number) => void;
}

const FlowRow = memo(function FlowRow(props: FlowRowProps): ReactNode {
  const { row, source, cells, isPointed, isChosen, stop, onPoint, onFocus } = props;
  return (
    <tr className={markOf(isPointed, isChosen)}>
      <th scope="row" data-chosen={isChosen}>
        <Source label={source.label} />
        <ToolList tools={source.tools} />
      </th>
      {[...cells.entries()].map(([column, flow]) => (
        <td key={column}>
          <button
            type="button"
            className={styles.cell}
            data-flow={flow}
            tabIndex={column === stop ? 0 : -1}
            onFocus={() => onFocus(row, column)}
            onPointerEnter={() => onPoint(row, column)}
          >
            {FLOW_WORDS[flow]}
          </button>
        </td>
      ))}
    </tr>
  );
});

const ORDER: readonly Flow[] = ["may-not", "release", "may"];

interface FlowListProps {
  readonly flows: Flows;
  /** The only row that is shown; -1 for all. */
  readonly row: number;
}

/** The matrix on a narrow screen: for each source, where its data may flow. */
export function FlowList({ flows, row }: FlowListProps): ReactNode {
  const sources = [...flows.sources.entries()].filter(([at]) => row < 0 || at === row);
  return (
    <ul className={styles.sources} aria-label="Flows">
      {sources.map(([at, { label, tools }]) => (
        <li key={JSON.stringify(label)} className={styles.source}>
          <h3>
            After <Source label={label} />
          </h3>
          <ToolList tools={tools} />
          {ORDER.map((flow) => (
            <SinksBy key={flow} flow={flow} sinks={sinksBy(flows, at, flow)} isOpen={row >= 0} />
          ))}
        </li>
      ))}
    </ul>
  );
}

interface SinksByProps {
  readonly flow: Flow;
  readonly sinks: Flows["sinks"];
  readonly isOpen: boolean;
}

/** More are shown on demand. */
const MANY = 5;

function SinksBy({ flow, sinks, isOpen }: SinksByProps): ReactNode {
  if (sinks.length === 0) return null;
  const tools = sinks.reduce((sum, sink) => sum + sink.tools.length, 0);
  return (
    <details className={styles.sinks} open={isOpen || sinks.length < MANY}>
      <summary>
        <span className={styles.cell} data-flow={flow}>
          {FLOW_WORDS[flow]} {flow === "release" ? "to" : "go to"} {tools} {tools === 1 ? "tool" : "tools"}
        </span>
      </summary>
      <ul>
        {sinks.map(({ clearances, releasable, tools: names }) => (
          <li key={JSON.stringify([clearances, releasable])}>
            <Clearances labels={clearances} />
            <ToolList tools={names} />
          </li>
        ))}
      </ul>
    </details>
  );
}

interface FlowSentenceProps {
  readonly flows: Flows;
  readonly cell: Cell | null;
}

const ENDS: Readonly<Record<Flow, (isOne: boolean) => string>> = {
  may: (isOne) => (isOne ? "stays open." : "stay open."),
  release: (isOne) =>
    isOne ? "is shut, but a person may release a call." : "are shut, but a person may release a call.",
  "may-not": (isOne) => (isOne ? "is shut." : "are shut."),
};

/** A cell of the matrix as a sentence. */
function FlowSentence({ flows, cell }: FlowSentenceProps): ReactNode {
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
