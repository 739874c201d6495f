/** Sources and sinks: may data from one tool be sent out by another? */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { flowsQuery, policyQuery } from "../api/queries.ts";
import { useLattice } from "../api/use-lattice.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import { useMedia } from "../shell/use-media.ts";
import controls from "../styles/controls.module.css";
import { toVisibleLine } from "../text/visible-line.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { describeClearances, describeSource } from "./describe-labels.ts";
import type { PolicyTool } from "./find-tools.ts";
import { FlowList, FlowMatrix } from "./flow-matrix.tsx";
import flowsStyles from "./flows.module.css";
import styles from "./policy.module.css";
import { type Flow, type Flows, placesOf, sinksBy, sourcesBy, toolsIn } from "./read-flows.ts";
import { NamesProvider, ToolList, ToolName, useToolName } from "./tool-names.tsx";

const route = getRouteApi("/policy/flows");
const NONE: readonly PolicyTool[] = [];

export function FlowsPage(): ReactNode {
  usePageTitle("Policy: flows");
  const { data, error, refetch } = useQuery(flowsQuery());
  const policy = useQuery(policyQuery());
  if (data)
    return (
      <NamesProvider tools={policy.data?.tools ?? NONE}>
        <FlowsOf flows={data} />
      </NamesProvider>
    );
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the flows" />;
}

function FlowsOf({ flows }: { readonly flows: Flows }): ReactNode {
  const { tool } = route.useSearch();
  const isNarrow = useMedia("(max-width: 640px)");
  const isEmpty = flows.sources.length === 0 || flows.sinks.length === 0;
  return (
    <section className={styles.section} aria-labelledby="flows-title">
      <div className={styles.head}>
        <h2 id="flows-title">Flows</h2>
        {!isEmpty && <ToolChoice flows={flows} chosen={tool} />}
      </div>
      <p className={styles.lead}>
        Once a tool has brought its data into a session, which tools may then receive it? From a clean
        session, that holds nothing else.
      </p>
      {tool !== undefined && !isEmpty && <ToolFlows flows={flows} tool={tool} />}
      {isEmpty ? (
        <Empty
          title={flows.sources.length === 0 ? "No tool brings anything in" : "No tool sends anything out"}
        >
          A tool is a source by its <code>source</code> in the policy&apos;s file, and a sink by its{" "}
          <code>sink</code>.
        </Empty>
      ) : isNarrow ? (
        <FlowList flows={flows} row={placesOf(flows, tool).row} />
      ) : (
        <FlowMatrix flows={flows} chosen={placesOf(flows, tool)} />
      )}
    </section>
  );
}

interface ToolChoiceProps {
  readonly flows: Flows;
  readonly chosen: string | undefined;
}

function ToolChoice({ flows, chosen }: ToolChoiceProps): ReactNode {
  const navigate = route.useNavigate();
  const nameOf = useToolName();
  const tools = toolsIn(flows).toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const isKnown = chosen === undefined || tools.includes(chosen);
  return (
    <label className={styles.find}>
      <span className={controls.muted}>Tool</span>
      <select
        className={controls.field}
        value={chosen ?? ""}
        onChange={({ target }) =>
          void navigate({
            search: target.value === "" ? {} : { tool: target.value },
            replace: true,
            resetScroll: false,
          })
        }
      >
        <option value="">All tools</option>
        {!isKnown && <option value={chosen}>{toVisibleLine(chosen)}</option>}
        {tools.map((tool) => (
          <option key={tool} value={tool}>
            {toVisibleLine(nameOf(tool))}
          </option>
        ))}
      </select>
    </label>
  );
}

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

/** A tool's relation to the others: what it blocks, and what blocks it. */
export function ToolFlows({ flows, tool }: ToolFlowsProps): ReactNode {
  const lattice = useLattice();
  const { row, column } = placesOf(flows, tool);
  const source = flows.sources[row];
  const sink = flows.sinks[column];
  return (
    <div className={flowsStyles.chosenTool}>
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
      <dl className={flowsStyles.effects}>
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
