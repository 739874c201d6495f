/** One call of a timeline: its decision, its effect on the session and, on demand, its checks. */
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { useLevels } from "../api/use-lattice.tsx";
import controls from "../styles/controls.module.css";
import { LabelChip, LabelParts, LevelChip } from "../text/label-chip.tsx";
import { Sentence } from "../text/sentence.tsx";
import { Time, toTiming } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { toHash } from "./event-address.ts";
import { EventLink, useSessionEvents } from "./event-link.tsx";
import { Names, Water } from "./event-parts.tsx";
import { type FoundCause, type FoundOrigin, findCauses, findOrigins } from "./find-cause.ts";
import type { TimelineCall } from "./kept-events.ts";
import { keyed } from "./keyed.ts";
import { callNumber, OUTCOMES, PASSED, RESULTS, SKIPPED, VERDICTS, wordApproval } from "./session-words.ts";
import styles from "./timeline.module.css";
import trailStyles from "./trail.module.css";

interface CallItemProps {
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

/** Why a call was denied or needs approval, with the calls and data sets that caused it. */
function Reasons({ reasons }: { readonly reasons: readonly Schema<"Reason">[] }): ReactNode {
  return (
    <div className={styles.reasons}>
      {keyed(reasons, ({ message }) => message).map(({ key, item }) => (
        <p key={key}>
          <Sentence>{item.message}</Sentence>
        </p>
      ))}
      <Causes reasons={reasons} />
    </div>
  );
}

/** Found among the loaded events. */
function Causes({ reasons }: { readonly reasons: readonly Schema<"Reason">[] }): ReactNode {
  const events = useSessionEvents();
  const [causes, origins] = [findCauses(reasons, events), findOrigins(reasons, events)];
  if (causes.length + origins.length === 0) return null;
  return (
    <ul className={styles.causes} aria-label="Caused by">
      {keyed(causes, ({ cause }) => JSON.stringify(cause)).map(({ key, item }) => (
        <li key={key}>
          <CauseLine found={item} />
        </li>
      ))}
      {keyed(origins, (origin) => JSON.stringify(origin)).map(({ key, item }) => (
        <li key={key}>
          <OriginLine found={item} />
        </li>
      ))}
    </ul>
  );
}

function OriginLine({ found: { argument, call, tool, trust, address } }: { readonly found: FoundOrigin }) {
  return (
    <>
      <EventLink to={address}>
        call {call} <VisibleText>{tool}</VisibleText>
      </EventLink>{" "}
      first brought in the value of{" "}
      <code>
        <VisibleText>{argument}</VisibleText>
      </code>{" "}
      (<VisibleText>{trust}</VisibleText>)
    </>
  );
}

function CauseLine({ found: { cause, address, level } }: { readonly found: FoundCause }): ReactNode {
  const tool = cause.tool !== null && <VisibleText>{cause.tool}</VisibleText>;
  const number = cause.step === null ? "" : `call ${callNumber(cause.step)} `;
  const who =
    cause.step === null && tool === false ? (
      "The host"
    ) : (
      <>
        {number}
        {tool}
      </>
    );
  return (
    <>
      {address === null ? who : <EventLink to={address}>{who}</EventLink>} brought in{" "}
      <VisibleText>{cause.dataset}</VisibleText> {level !== null && <LevelChip level={level} />}
    </>
  );
}

type Entry = Schema<"TrailEntry">;

/** The checks of a call, in their order. */
function Trail({ trail }: { readonly trail: readonly Entry[] }): ReactNode {
  return (
    <ol className={trailStyles.trail} aria-label="Checks">
      {trail.map((entry) => (
        <li key={entry.check}>
          <span className={trailStyles.check}>{entry.check}</span>
          <span className={`${trailStyles.result} ${trailStyles[entry.result]}`}>
            {RESULTS[entry.result]}
          </span>
          <Sentences entry={entry} />
        </li>
      ))}
    </ol>
  );
}

function Sentences({ entry: { check, result, reasons } }: { readonly entry: Entry }): ReactNode {
  if (result === "pass") return <span className={trailStyles.told}>{PASSED[check]}</span>;
  if (result === "skipped") return <span className={trailStyles.told}>{SKIPPED}</span>;
  return (
    <span>
      {keyed(reasons, ({ message }) => message).map(({ key, item }) => (
        <span key={key} className={trailStyles.reason}>
          <Sentence>{item.message}</Sentence>
        </span>
      ))}
    </span>
  );
}
