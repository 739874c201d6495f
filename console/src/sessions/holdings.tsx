/** The data sets of a session, each with the call that brought it in. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import controls from "../styles/controls.module.css";
import { LevelChip } from "../text/label-chip.tsx";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { findEvent } from "./event-address.ts";
import { EventLink, useSessionEvents } from "./event-link.tsx";
import styles from "./holdings.module.css";
import { keyed } from "./keyed.ts";
import { callNumber } from "./timeline-words.ts";

type Dataset = Schema<"SessionState">["datasets"][number];

export function Holdings({ datasets }: { readonly datasets: readonly Dataset[] }): ReactNode {
  return (
    <section className={styles.holdings} aria-labelledby="holds">
      <h2 id="holds">What it holds</h2>
      {datasets.length === 0 ? (
        <p className={controls.muted}>
          Nothing above the lowest level. A call that reads such data will stand here.
        </p>
      ) : (
        <ul className={styles.list} aria-labelledby="holds">
          {keyed(datasets, ({ id, call }) => `${id} ${call}`).map(({ key, item }) => (
            <li key={key}>
              <span className={styles.name}>
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
