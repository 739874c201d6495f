/** The policy's declaration of each tool, and the servers. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from "react";
import type { Schema } from "../api/client.ts";
import { policyQuery } from "../api/queries.ts";
import { FreezeButton } from "../shell/freezes.tsx";
import { useKeys } from "../shell/keys.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import { useDraft } from "../shell/use-draft.ts";
import controls from "../styles/controls.module.css";
import { hueOf } from "../text/label-chip.tsx";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { findTools } from "./find-tools.ts";
import { Clearances, Source } from "./labels.tsx";
import scaleStyles from "./level-scale.module.css";
import styles from "./policy.module.css";
import { ToolsTable } from "./tools-table.tsx";

const route = getRouteApi("/policy/");

export function ToolsPage(): ReactNode {
  usePageTitle("Policy: tools");
  const { data, error, refetch } = useQuery(policyQuery());
  if (data) return <Tools policy={data} />;
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="the policy" />;
}

/** Rows before somebody requests more. */
const PAGE = 200;

function Tools({ policy }: { readonly policy: Schema<"Policy"> }): ReactNode {
  const { find = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, type] = useDraft(
    find,
    (next) => void navigate({ search: next === "" ? {} : { find: next }, replace: true, resetScroll: false }),
  );
  const words = useDeferredValue(typed);
  const [most, setMost] = useState(PAGE);
  const field = useRef<HTMLInputElement>(null);
  useKeys("Tools of the policy", [{ keys: "/", does: "Find a tool", run: () => field.current?.focus() }]);
  const found = useMemo(() => findTools(policy.tools, words), [policy.tools, words]);
  return (
    <>
      <LevelScale levels={policy.levels} trust={policy.trust} />
      <ServersTable servers={policy.servers} />
      <section className={styles.section} aria-labelledby="tools-title">
        <div className={styles.head}>
          <h2 id="tools-title">Tools</h2>
          <label className={styles.find}>
            <span className={controls.muted}>Find</span>
            <input
              ref={field}
              className={controls.field}
              value={typed}
              placeholder="name, server, tag, level, “changed” …"
              spellCheck={false}
              onChange={(event) => type(event.target.value)}
            />
          </label>
          <p role="status" className={controls.muted} aria-label="Found">
            {found.length === policy.tools.length
              ? `${policy.tools.length} in all`
              : `${found.length} of ${policy.tools.length}`}
          </p>
        </div>
        {policy.tools.length === 0 ? (
          <Empty title="The policy knows no tool">
            Tools come from the servers that it names, and from those that it declares itself.
          </Empty>
        ) : found.length === 0 ? (
          <Empty title="No tool fits these words">
            <button type="button" className={controls.button} onClick={() => type("")}>
              Show all {policy.tools.length}
            </button>
          </Empty>
        ) : (
          <ToolsTable tools={found.slice(0, most)} />
        )}
        {found.length > most && (
          <button type="button" className={controls.button} onClick={() => setMost(most + PAGE)}>
            Show {Math.min(PAGE, found.length - most)} more
          </button>
        )}
      </section>
    </>
  );
}

export interface LevelScaleProps {
  readonly levels: readonly string[];
  readonly trust: readonly string[];
}

/** Height of the lowest step, and of all steps together. */
const [LEAST, MOST] = [10, 40];

/** A custom property, which is a width on a narrow screen. */
const cssOf = (rise: number): React.CSSProperties & Record<"--rise", string> => ({ "--rise": `${rise}px` });

/** The policy's levels as a scale, lowest first: each a step higher, in its colour. */
export function LevelScale({ levels, trust }: LevelScaleProps): ReactNode {
  const rise = (MOST - LEAST) / Math.max(1, levels.length - 1);
  return (
    <section className={scaleStyles.scale} aria-labelledby="levels-title">
      <h2 id="levels-title">Levels</h2>
      <ol className={scaleStyles.levels} aria-label="Levels, lowest first">
        {levels.map((level, at) => (
          <li key={level}>
            <i className={hueOf(at, levels.length)} style={cssOf(LEAST + rise * at)} aria-hidden="true" />
            <VisibleText>{level}</VisibleText>
          </li>
        ))}
      </ol>
      <p className={scaleStyles.trust}>
        Trust, lowest first: <VisibleText>{trust.join(" < ")}</VisibleText>. Data flows up a level, never down
        one.
      </p>
    </section>
  );
}

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
