/** A change of the session other than a call, as a line. */
import { memo, type ReactNode } from "react";
import controls from "../styles/controls.module.css";
import { Sentence } from "../text/sentence.tsx";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { toHash } from "./event-address.ts";
import { EventLink } from "./event-link.tsx";
import type { TimelineNote } from "./kept-events.ts";
import { Names } from "./names.tsx";
import styles from "./timeline.module.css";
import { Water } from "./water.tsx";

export const NoteItem = memo(function NoteItem({ note }: { readonly note: TimelineNote }): ReactNode {
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
