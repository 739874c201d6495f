/** The policy's declaration of each tool, one row each. */
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import { asksOf, classOf, marksOf, type PolicyTool } from "./find-tools.ts";
import { Clearances, Source } from "./labels.tsx";
import styles from "./policy.module.css";

export function ToolsTable({ tools }: { readonly tools: readonly PolicyTool[] }): ReactNode {
  return (
    <table className={`${styles.table} ${styles.wide}`} aria-labelledby="tools-title">
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col">May</th>
          <th scope="col">Brings in</th>
          <th scope="col">May receive</th>
          <th scope="col">Asks a person</th>
          <th scope="col">Class</th>
        </tr>
      </thead>
      <tbody>
        {tools.map((tool) => (
          <ToolRow key={tool.tool} tool={tool} />
        ))}
      </tbody>
    </table>
  );
}

const ToolRow = memo(function ToolRow({ tool }: { readonly tool: PolicyTool }): ReactNode {
  const marks = marksOf(tool);
  return (
    <tr>
      <th scope="row">
        <code className={styles.name}>
          <VisibleText>{tool.name}</VisibleText>
        </code>
        <span className={styles.server}>
          {tool.server === null ? "run by the agent itself" : <VisibleText>{tool.server}</VisibleText>}
        </span>
        {marks.length > 0 && (
          <span className={styles.marks}>
            {marks.map(({ kind, text }) =>
              kind === "changed" ? (
                <Link key={text} to="/policy/pins" className={styles.mark}>
                  {text}
                </Link>
              ) : (
                <span key={text} className={styles.mark}>
                  {text}
                </span>
              ),
            )}
          </span>
        )}
      </th>
      <td data-label="May">
        {tool.permissions.length === 0 ? (
          <span className={controls.muted}>nothing declared</span>
        ) : (
          tool.permissions.join(", ")
        )}
      </td>
      <td data-label="Brings in">
        <Source label={tool.source} />
      </td>
      <td data-label="May receive">
        <Clearances labels={tool.clearances} />
        {tool.releasable && <p className={styles.note}>a person may release more</p>}
      </td>
      <td data-label="Asks a person">
        {tool.approval === "never" ? (
          <span className={controls.muted}>never</span>
        ) : (
          <span className={styles.asks}>{asksOf(tool)}</span>
        )}
        {tool.when !== null && (
          <code className={styles.when}>
            <VisibleText>{tool.when}</VisibleText>
          </code>
        )}
      </td>
      <td data-label="Class" className={styles.class}>
        {classOf(tool)}
      </td>
    </tr>
  );
});
