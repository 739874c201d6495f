/** The plan bench of a session: tools in an order, with the check under each. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { sessionQuery, sessionToolsQuery } from "../api/queries.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import { Bench } from "./bench.tsx";
import styles from "./plan.module.css";

const route = getRouteApi("/sessions/$id/plan");

export function PlanPage(): ReactNode {
  usePageTitle("Plan bench");
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(sessionToolsQuery(id));
  return (
    <div className={styles.page}>
      <header className={styles.title}>
        <SessionLink id={id} />
        <h1>Plan bench</h1>
        <p className={controls.muted}>
          Would these calls go through from where the session stands now? This predicts and authorises
          nothing: each call is decided again when it is made.
        </p>
      </header>
      {data ? (
        <Bench key={id} session={data} />
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading what="the session's tools" />
      )}
    </div>
  );
}

function SessionLink({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery(sessionQuery(id));
  return (
    <p className={controls.small}>
      <Link to="/sessions/$id" params={{ id }} className={styles.back}>
        <span aria-hidden="true">‹</span> Session
        {data && (
          <>
            {" of "}
            <VisibleText>{data.principal}</VisibleText>
            {data.role !== null && (
              <>
                {", "}
                <VisibleText>{data.role}</VisibleText>
              </>
            )}
          </>
        )}
      </Link>
      {data?.closed && <span className={controls.muted}> It is closed: no call would go through.</span>}
    </p>
  );
}
