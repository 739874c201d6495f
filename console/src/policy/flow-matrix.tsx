/** The matrix: a row per source, a column per sink, and a word in each cell. */
import { memo, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { FlowSentence } from "./flow-sentence.tsx";
import styles from "./flows.module.css";
import { Clearances, Source } from "./labels.tsx";
import { type Cell, cellByKey, FLOW_WORDS, type Flow, type Flows } from "./read-flows.ts";
import { ToolList } from "./tool-names.tsx";

export interface FlowMatrixProps {
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
