/** One session: its label and why, call by call. */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo } from "react";
import { sessionQuery, sessionToolsQuery } from "../api/queries.ts";
import { Gauge } from "../gauge/gauge.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Loading, Problem } from "../shell/states.tsx";
import { SessionEvents } from "./event-link.tsx";
import { Holdings } from "./holdings.tsx";
import type { TimelineEvent } from "./kept-events.ts";
import { SessionHead } from "./session-head.tsx";
import styles from "./session-page.module.css";
import { SessionTools } from "./session-tools.tsx";
import { Timeline, useOpenEvents } from "./timeline.tsx";
import { focusEvent, useReveal } from "./use-reveal.ts";
import { useTimeline } from "./use-timeline.ts";

export function SessionPage(): ReactNode {
  const { id } = useParams({ from: "/sessions/$id" });
  return <Session key={id} id={id} />;
}

const NONE: readonly TimelineEvent[] = Object.freeze([]);

function Session({ id }: { readonly id: string }): ReactNode {
  const { data: session, error, refetch } = useQuery(sessionQuery(id));
  const { data: tools } = useQuery(sessionToolsQuery(id));
  const isOld = useConnection().kind === "lost";
  const timeline = useTimeline(id);
  const { events = NONE } = timeline;
  const { open, toggle, show } = useOpenEvents();
  const onFound = useCallback(
    (seq: number) => {
      show(seq);
      focusEvent(seq);
    },
    [show],
  );
  const { missing, again } = useReveal(timeline, onFound);
  const linked = useMemo(() => ({ session: id, again }), [id, again]);
  usePageTitle(session === undefined ? "Session" : `Session of ${session.principal}`);
  if (session === undefined) {
    if (error === null) return <Loading what="the session" />;
    return (
      <>
        <h1 className={styles.unknown}>Session</h1>
        <Problem error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  return (
    <SessionEvents linked={linked} events={events}>
      <div className={styles.page} data-old={isOld}>
        <SessionHead session={session} lastAt={events.at(-1)?.at ?? null} />
        {tools !== undefined && <Gauge gauge={tools.gauge} />}
        <Holdings datasets={session.datasets} />
        <SessionTools id={id} />
        <Timeline session={id} timeline={timeline} opened={{ open, toggle }} missing={missing} />
      </div>
    </SessionEvents>
  );
}
