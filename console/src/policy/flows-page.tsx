/** Sources and sinks: may data from one tool be sent out by another? */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { flowsQuery, policyQuery } from "../api/queries.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import { useMedia } from "../shell/use-media.ts";
import controls from "../styles/controls.module.css";
import { toVisibleLine } from "../text/visible-line.ts";
import type { PolicyTool } from "./find-tools.ts";
import { FlowList } from "./flow-list.tsx";
import { FlowMatrix } from "./flow-matrix.tsx";
import styles from "./policy.module.css";
import { type Flows, placesOf, toolsIn } from "./read-flows.ts";
import { ToolFlows } from "./tool-flows.tsx";
import { NamesProvider, useToolName } from "./tool-names.tsx";

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
