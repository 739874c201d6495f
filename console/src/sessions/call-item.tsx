/** One call of a timeline: its decision, its effect on the session and, on demand, its checks. */
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { useLevels } from "../api/use-lattice.ts";
import controls from "../styles/controls.module.css";
import { LabelChip, LabelParts } from "../text/label-chip.tsx";
import { Time, toTiming } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { toHash } from "./event-address.ts";
import { EventLink } from "./event-link.tsx";
import type { TimelineCall } from "./kept-events.ts";
import { Names } from "./names.tsx";
import { Reasons } from "./reasons.tsx";
import styles from "./timeline.module.css";
import { callNumber, OUTCOMES, VERDICTS, wordApproval } from "./timeline-words.ts";
import { Trail } from "./trail.tsx";
import { Water } from "./water.tsx";

export interface CallItemProps {
  readonly call: TimelineCall;
  readonly isOpen: boolean;
  readonly onToggle: (seq: number) => void;
}

export const CallItem = memo(function CallItem({ call, isOpen, onToggle }: CallItemProps): ReactNode {
  const { seq, step, effect, name } = call;
  const number = callNumber(step);
  const trail = `trail-${seq}`;
  return (
    <li id={toHash({ kind: "seq", seq })} className={styles.event} tabIndex={-1} data-seq={seq}>
      <Water level={call.label.level} isRise={call.raises !== null} />
      <EventLink to={{ kind: "seq", seq }} className={styles.number} name={`Link to call ${number}`}>
        {number}
      </EventLink>
      <div className={styles.line}>
        <strong className={styles.tool}>
          <VisibleText>{name}</VisibleText>
        </strong>
        <span className={`${styles.verdict} ${styles[effect]}`}>{VERDICTS[effect]}</span>
        <Effects call={call} />
      </div>
      <div className={styles.side}>
        {call.milliseconds !== null && (
          <span className={styles.took}>took {toTiming(call.milliseconds)}</span>
        )}
        <Time at={call.at} />
        <button
          type="button"
          className={`${controls.quiet} ${styles.toggle}`}
          aria-expanded={isOpen}
          aria-controls={isOpen ? trail : undefined}
          onClick={() => onToggle(seq)}
        >
          {isOpen ? "Hide the checks" : "Show the checks"}
        </button>
      </div>
      {effect !== "allow" && call.reasons.length > 0 && <Reasons reasons={call.reasons} />}
      {call.approval !== null && <Approval approval={call.approval} />}
      {isOpen && (
        <div id={trail} className={styles.opened}>
          <Trail trail={call.trail} />
          <Facts call={call} />
        </div>
      )}
    </li>
  );
});

/** Its effect on the session, and its outcome. */
function Effects({ call }: { readonly call: TimelineCall }): ReactNode {
  const { effect } = call;
  const outcome = OUTCOMES[call.outcome];
  return (
    <>
      {call.release && <span className={styles.mark}>{effect === "ask" ? "a release" : "released"}</span>}
      {outcome !== null && <span className={styles.mark}>{outcome}</span>}
      {call.raises !== null && <Raise raises={call.raises} />}
      {call.dataset !== null && (
        <span className={styles.did}>
          brought in <VisibleText>{call.dataset}</VisibleText>
        </span>
      )}
      {call.shut.length > 0 && (
        <span className={styles.did}>
          shut <Names names={call.shut} />
        </span>
      )}
      <span className={controls.hidden}>The session then stands at {call.label.level}.</span>
    </>
  );
}

/** What it added to the session's label: a level, or, at the lowest level, the rest of the label. */
function Raise({ raises }: { readonly raises: Schema<"Label"> }): ReactNode {
  const isHigher = useLevels()[0] !== raises.level;
  return (
    <span className={styles.effect}>
      {isHigher ? "raised to" : "added"}{" "}
      {isHigher ? <LabelChip label={raises} /> : <LabelParts label={raises} />}
    </span>
  );
}

function Approval({ approval }: { readonly approval: NonNullable<TimelineCall["approval"]> }): ReactNode {
  const { before, after } = wordApproval(approval);
  return (
    <p className={styles.approval}>
      <span>
        {before} {approval.answered_by !== null && <VisibleText>{approval.answered_by}</VisibleText>}
        {after}
      </span>
      {approval.ended_at !== null && <Time at={approval.ended_at} />}
      {approval.why !== null && (
        <q>
          <VisibleText>{approval.why}</VisibleText>
        </q>
      )}
      <Link to="/approvals/$id" params={{ id: approval.id }} preload={false}>
        {approval.status === "pending" ? "Answer it" : "The approval"}
      </Link>
    </p>
  );
}

function Facts({ call }: { readonly call: TimelineCall }): ReactNode {
  return (
    <dl className={styles.facts}>
      <dt>Session after it</dt>
      <dd>
        <LabelChip label={call.label} />
      </dd>
      <dt>Tool</dt>
      <dd>
        <code>
          <VisibleText>{call.tool}</VisibleText>
        </code>
      </dd>
      <dt>Call</dt>
      <dd>
        <code>
          <VisibleText>{call.call_id}</VisibleText>
        </code>
      </dd>
      <dt>Journal entry</dt>
      <dd>{call.seq}</dd>
      {call.finished_at !== null && (
        <>
          <dt>Finished</dt>
          <dd>
            <Time at={call.finished_at} />
          </dd>
        </>
      )}
    </dl>
  );
}
