/** The tools that a session sees now: which are open, what they bring in and send out, what calling them blocks. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Schema } from "../api/client.ts";
import { sessionToolsQuery } from "../api/queries.ts";
import { Clearances } from "../policy/labels.tsx";
import { Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { LabelChip } from "../text/label-chip.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { Names } from "./event-parts.tsx";
import { keyed } from "./keyed.ts";
import styles from "./session-tools.module.css";
import { describeTools, fitsTool, stateOfTool } from "./session-words.ts";

type SessionTool = Schema<"SessionTools">["tools"][number];

/** With more tools, there is a filter. */
const MANY = 20;

export function SessionTools({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(sessionToolsQuery(id));
  const tools = data?.tools ?? [];
  return (
    <details className={styles.tools}>
      <summary>
        <h2>Tools</h2> {data !== undefined && <span className={controls.muted}>{describeTools(tools)}</span>}
      </summary>
      {data === undefined && error === null && <Loading what="the tools" />}
      {data === undefined && error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <ToolList tools={tools} />}
    </details>
  );
}

function ToolList({ tools }: { readonly tools: readonly SessionTool[] }): ReactNode {
  const [find, setFind] = useState("");
  const shown = find === "" ? tools : tools.filter((tool) => fitsTool(tool, find));
  if (tools.length === 0) {
    return <p className={controls.muted}>It sees no tool: its role and the policy leave none.</p>;
  }
  return (
    <>
      {tools.length > MANY && (
        <label className={`${controls.label} ${styles.find}`}>
          Find a tool
          <input
            type="text"
            className={controls.field}
            value={find}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setFind(event.target.value)}
          />
        </label>
      )}
      <table className={styles.table} aria-label="Tools">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Now</th>
            <th scope="col">Brings in</th>
            <th scope="col">May receive</th>
            <th scope="col">Calling it would shut</th>
          </tr>
        </thead>
        <tbody>
          {keyed(shown, ({ tool }) => tool).map(({ key, item }) => (
            <ToolRow key={key} tool={item} />
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p className={controls.muted}>No tool has this in its name or server.</p>}
    </>
  );
}

function ToolRow({ tool }: { readonly tool: SessionTool }): ReactNode {
  const { name, server, source, clearances, shuts, when } = tool;
  return (
    <tr>
      <th scope="row">
        <VisibleText>{name}</VisibleText>
        <span className={styles.server}>
          {server === null ? "run by the agent itself" : <VisibleText>{server}</VisibleText>}
        </span>
      </th>
      <td data-name="Now">
        <span className={tool.blocked ? styles.shut : ""}>{stateOfTool(tool)}</span>
        {tool.approval === "always" && <span className={styles.asks}>asks a person</span>}
        {tool.approval === "condition" && (
          <span className={styles.asks}>
            asks a person where <code>{when !== null && <VisibleText>{when}</VisibleText>}</code>
          </span>
        )}
      </td>
      <td data-name="Brings in">
        {source === null ? <span className={controls.muted}>nothing</span> : <LabelChip label={source} />}
      </td>
      <td data-name="May receive">
        <Clearances labels={clearances} />
      </td>
      <td data-name="Calling it would shut">
        {shuts.length === 0 ? <span className={controls.muted}>no tool</span> : <Names names={shuts} />}
      </td>
    </tr>
  );
}
