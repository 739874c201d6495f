/** The servers of the policy's tools. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { FreezeButton } from "../shell/freezes.tsx";
import controls from "../styles/controls.module.css";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { Clearances, Source } from "./labels.tsx";
import styles from "./policy.module.css";

export interface ServersTableProps {
  readonly servers: Schema<"Policy">["servers"];
}

export function ServersTable({ servers }: ServersTableProps): ReactNode {
  return (
    <section className={styles.section} aria-labelledby="servers-title">
      <h2 id="servers-title">Servers</h2>
      {servers.length === 0 ? (
        <p className={controls.muted}>
          The policy names none: its tools are those that agents run themselves.
        </p>
      ) : (
        <table className={styles.table} aria-labelledby="servers-title">
          <thead>
            <tr>
              <th scope="col">Server</th>
              <th scope="col">Status</th>
              <th scope="col">Tools</th>
              <th scope="col">Brings in, outside of tools</th>
              <th scope="col">May receive</th>
              <th scope="col">
                <span className={controls.hidden}>Freeze</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {servers.map((server) => (
              <tr key={server.id}>
                <th scope="row">
                  <VisibleText>{server.id}</VisibleText>
                </th>
                <td data-label="Status">
                  <span className={server.problem ? styles.bad : undefined}>
                    <VisibleText>{server.status}</VisibleText>
                  </span>
                  {server.problem && (
                    <p className={styles.problem}>
                      <Sentence>{server.problem}</Sentence>
                    </p>
                  )}
                </td>
                <td data-label="Tools">{server.tools}</td>
                <td data-label="Brings in">
                  <Source label={server.source} />
                </td>
                <td data-label="May receive">
                  <Clearances labels={server.clearances} />
                </td>
                <td>
                  <FreezeButton
                    target={{ server: server.id }}
                    what={<VisibleText>{server.id}</VisibleText>}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
