/** The policy's declaration of each tool, and the servers. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from "react";
import type { Schema } from "../api/client.ts";
import { policyQuery } from "../api/queries.ts";
import { useKeys } from "../shell/keys.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import { useDraft } from "../shell/use-draft.ts";
import controls from "../styles/controls.module.css";
import { findTools } from "./find-tools.ts";
import { LevelScale } from "./level-scale.tsx";
import styles from "./policy.module.css";
import { ServersTable } from "./servers-table.tsx";
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
