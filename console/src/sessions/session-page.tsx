/** One session: its label and why, call by call. */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo } from "react";
import type { Schema } from "../api/client.ts";
import { sessionQuery, sessionToolsQuery } from "../api/queries.ts";
import { Gauge } from "../gauge/gauge.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { LevelChip } from "../text/label-chip.tsx";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { findEvent } from "./event-address.ts";
import { EventLink, SessionEvents, useSessionEvents } from "./event-link.tsx";
import holdingsStyles from "./holdings.module.css";
import type { TimelineEvent } from "./kept-events.ts";
import { keyed } from "./keyed.ts";
import { SessionHead } from "./session-head.tsx";
import styles from "./session-page.module.css";
import { SessionTools } from "./session-tools.tsx";
import { callNumber } from "./session-words.ts";
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

type Dataset = Schema<"SessionState">["datasets"][number];

/** The data sets of a session, each with the call that brought it in. */
export function Holdings({ datasets }: { readonly datasets: readonly Dataset[] }): ReactNode {
  return (
    <section className={holdingsStyles.holdings} aria-labelledby="holds">
      <h2 id="holds">What it holds</h2>
      {datasets.length === 0 ? (
        <p className={controls.muted}>
          Nothing above the lowest level. A call that reads such data will stand here.
        </p>
      ) : (
        <ul className={holdingsStyles.list} aria-labelledby="holds">
          {keyed(datasets, ({ id, call }) => `${id} ${call}`).map(({ key, item }) => (
            <li key={key}>
              <span className={holdingsStyles.name}>
                <VisibleText>{item.id}</VisibleText>
              </span>
              <LevelChip level={item.sensitivity} />
              <span className={controls.muted}>
                since <Time at={item.at} />
              </span>
              <Origin call={item.call} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Origin({ call }: { readonly call: string | null }): ReactNode {
  const events = useSessionEvents();
  if (call === null) return <span className={controls.muted}>added by the host</span>;
  const event = findEvent(events, { kind: "call", call });
  if (event?.kind !== "call") {
    return (
      <span className={controls.muted}>
        by <EventLink to={{ kind: "call", call }}>an earlier call</EventLink>
      </span>
    );
  }
  return (
    <span className={controls.muted}>
      by{" "}
      <EventLink to={{ kind: "seq", seq: event.seq }}>
        call {callNumber(event.step)} <VisibleText>{event.name}</VisibleText>
      </EventLink>
    </span>
  );
}
