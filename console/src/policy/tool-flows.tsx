/** A tool's relation to the others: what it blocks, and what blocks it. */
import type { ReactNode } from "react";
import { useLattice } from "../api/use-lattice.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { describeClearances, describeSource } from "./describe-labels.ts";
import styles from "./flows.module.css";
import { type Flow, type Flows, placesOf, sinksBy, sourcesBy } from "./read-flows.ts";
import { ToolList, ToolName } from "./tool-names.tsx";

export interface ToolFlowsProps {
  readonly flows: Flows;
  /** Its identity. */
  readonly tool: string;
}

const AS_SOURCE: readonly (readonly [Flow, string])[] = [
  ["may-not", "Shut after it"],
  ["release", "Open after it only by a person's release"],
  ["may", "Open after it"],
];

const AS_SINK: readonly (readonly [Flow, string])[] = [
  ["may-not", "Shuts it"],
  ["release", "Lets it be called only by a person's release"],
  ["may", "Leaves it open"],
];

export function ToolFlows({ flows, tool }: ToolFlowsProps): ReactNode {
  const lattice = useLattice();
  const { row, column } = placesOf(flows, tool);
  const source = flows.sources[row];
  const sink = flows.sinks[column];
  return (
    <div className={styles.chosenTool}>
      <p>
        <ToolName tool={tool} />{" "}
        {source ? (
          <>
            brings in data that is <VisibleText>{describeSource(source.label, lattice)}</VisibleText>
          </>
        ) : (
          "brings nothing in"
        )}
        {sink ? (
          <>
            , and may receive <VisibleText>{describeClearances(sink.clearances, lattice)}</VisibleText>.
          </>
        ) : (
          ", and sends nothing out."
        )}
      </p>
      <dl className={styles.effects}>
        {source &&
          AS_SOURCE.map(([flow, words]) => (
            <Effect key={words} words={words} groups={sinksBy(flows, row, flow)} />
          ))}
        {sink &&
          AS_SINK.map(([flow, words]) => (
            <Effect key={words} words={words} groups={sourcesBy(flows, column, flow)} />
          ))}
      </dl>
    </div>
  );
}

interface EffectProps {
  readonly words: string;
  readonly groups: readonly { readonly tools: readonly string[] }[];
}

function Effect({ words, groups }: EffectProps): ReactNode {
  const tools = [...new Set(groups.flatMap((group) => group.tools))];
  if (tools.length === 0) return null;
  return (
    <div>
      <dt>{words}</dt>
      <dd>
        <ToolList tools={tools} most={6} />
      </dd>
    </div>
  );
}
