/** A session's events, oldest first, as they happen. */
import { useNavigate } from "@tanstack/react-router";
import { memo, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useAnnounce } from "../shell/announcer.tsx";
import { useKeys } from "../shell/keys.tsx";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { Sentence } from "../text/sentence.tsx";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { CallItem } from "./call-item.tsx";
import { toHash } from "./event-address.ts";
import { EventLink } from "./event-link.tsx";
import { Names, Water } from "./event-parts.tsx";
import { isCall, type TimelineEvent, type TimelineNote } from "./kept-events.ts";
import { moveFocus } from "./move-focus.ts";
import { counted } from "./session-words.ts";
import styles from "./timeline.module.css";
import { useFollowing } from "./use-following.ts";
import { focusEvent } from "./use-reveal.ts";
import type { Timeline as Loaded } from "./use-timeline.ts";

/** With more events, they are rendered as they come into view. */
const MANY = 100;

interface OpenEvents {
  readonly open: ReadonlySet<number>;
  readonly toggle: (seq: number) => void;
}

interface TimelineProps {
  readonly session: string;
  readonly timeline: Loaded;
  readonly opened: OpenEvents;
  /** What the address names and this session doesn't have. */
  readonly missing: string | null;
}

export function Timeline({ session, timeline, opened, missing }: TimelineProps): ReactNode {
  const { events, error, total, hasEarlier } = timeline;
  const list = useRef<HTMLOListElement>(null);
  useTimelineKeys(session, list, opened.toggle);
  return (
    <section className={styles.timeline} aria-labelledby="timeline">
      <div className={styles.head}>
        <h2 id="timeline">Timeline</h2>
        {events !== undefined && <span className={controls.muted}>{counted(total, "event")}</span>}
      </div>
      {missing !== null && (
        <p role="alert" className={styles.missing}>
          There is no <VisibleText>{missing}</VisibleText> in this session's timeline.
        </p>
      )}
      {hasEarlier && <ShowEarlier timeline={timeline} />}
      {events === undefined && error === null && <Loading what="the timeline" />}
      {error !== null && <Problem error={error} onRetry={timeline.retry} />}
      {events?.length === 0 && (
        <Empty title="Nothing has happened yet">Each call that the agent makes will stand here.</Empty>
      )}
      {events !== undefined && events.length > 0 && (
        <ol
          ref={list}
          className={`${styles.list} ${events.length > MANY ? styles.many : ""}`}
          aria-labelledby="timeline"
        >
          {events.map((event) => (
            <Event key={event.seq} event={event} opened={opened} />
          ))}
        </ol>
      )}
      <NewEvents events={events} />
    </section>
  );
}

interface EventProps {
  readonly event: TimelineEvent;
  readonly opened: OpenEvents;
}

const Event = ({ event, opened: { open, toggle } }: EventProps): ReactNode =>
  isCall(event) ? (
    <CallItem call={event} isOpen={open.has(event.seq)} onToggle={toggle} />
  ) : (
    <NoteItem note={event} />
  );

function ShowEarlier({ timeline }: { readonly timeline: Loaded }): ReactNode {
  const { events = [], total, showEarlier } = timeline;
  return (
    <p className={styles.earlier}>
      <button type="button" className={controls.button} onClick={showEarlier}>
        Show earlier
      </button>
      <span className={controls.muted}>The newest {events.length.toLocaleString("en-GB")} are shown</span>
      <span className={controls.hidden}>of {total}</span>
    </p>
  );
}

/** For people who read further up. */
function NewEvents({ events }: { readonly events: readonly TimelineEvent[] | undefined }): ReactNode {
  const { unseen, firstUnseen, markSeen } = useFollowing(events);
  const announce = useAnnounce();
  const isNews = unseen > 0;
  useEffect(() => {
    if (isNews) announce("New events");
  }, [isNews, announce]);
  if (firstUnseen === null) return null;
  const go = (): void => {
    markSeen();
    focusEvent(firstUnseen);
  };
  return (
    <button type="button" className={`${controls.primary} ${styles.news}`} onClick={go}>
      {counted(unseen, "new event")}
    </button>
  );
}

function useTimelineKeys(
  session: string,
  list: { readonly current: HTMLOListElement | null },
  toggle: (seq: number) => void,
): void {
  const navigate = useNavigate();
  const items = (): readonly HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>(":scope > li") ?? []),
  ];
  const toggleFocused = (): void => {
    const item = items().find((one) => one.contains(document.activeElement));
    if (item?.querySelector("[aria-expanded]")) toggle(Number(item.dataset.seq));
  };
  useKeys("Session", [
    { keys: "j", does: "The next event", run: () => moveFocus(items(), 1) },
    { keys: "k", does: "The previous event", run: () => moveFocus(items(), -1) },
    { keys: "o", does: "Open the event's checks, as Enter does", run: toggleFocused },
    {
      keys: "p",
      does: "Go to the plan bench",
      run: () => void navigate({ to: "/sessions/$id/plan", params: { id: session } }),
    },
  ]);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target, key } = event;
      // Enter belongs to a focused link or button.
      if (key !== "Enter" || !(target instanceof HTMLLIElement) || target.parentElement !== list.current)
        return;
      event.preventDefault();
      if (target.querySelector("[aria-expanded]")) toggle(Number(target.dataset.seq));
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [list, toggle]);
}

export function useOpenEvents(): OpenEvents & { readonly show: (seq: number) => void } {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback(
    (seq: number) =>
      setOpen((before) => {
        const next = new Set(before);
        if (!next.delete(seq)) next.add(seq);
        return next;
      }),
    [],
  );
  const show = useCallback((seq: number) => setOpen((before) => new Set(before).add(seq)), []);
  return { open, toggle, show };
}

/** A change of the session other than a call, as a line. */
const NoteItem = memo(function NoteItem({ note }: { readonly note: TimelineNote }): ReactNode {
  const { seq, kind, text, appeal, label, shut, at } = note;
  return (
    <li
      id={toHash({ kind: "seq", seq })}
      className={`${styles.event} ${styles.note}`}
      tabIndex={-1}
      data-seq={seq}
    >
      <Water level={label.level} isRise={kind === "raised" || kind === "unreadable"} />
      <EventLink to={{ kind: "seq", seq }} className={styles.number} name={`Link to entry ${seq}`}>
        ·
      </EventLink>
      <p className={styles.told}>
        <Sentence>{text}</Sentence>
        {appeal?.text && (
          <>
            {" "}
            It says: “<VisibleText>{appeal.text}</VisibleText>”
          </>
        )}
        {shut.length > 0 && (
          <span className={styles.did}>
            {" "}
            shut <Names names={shut} />
          </span>
        )}
        <span className={controls.hidden}>The session then stands at {label.level}.</span>
      </p>
      <div className={styles.side}>
        <Time at={at} />
      </div>
    </li>
  );
});
