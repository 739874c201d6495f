/** The matrix on a narrow screen: for each source, where its data may flow. */
import type { ReactNode } from "react";
import styles from "./flows.module.css";
import { Clearances, Source } from "./labels.tsx";
import { FLOW_WORDS, type Flow, type Flows, sinksBy } from "./read-flows.ts";
import { ToolList } from "./tool-names.tsx";

const ORDER: readonly Flow[] = ["may-not", "release", "may"];

export interface FlowListProps {
  readonly flows: Flows;
  /** The only row that is shown; -1 for all. */
  readonly row: number;
}

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
