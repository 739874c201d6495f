/**
 * Deny at one end, Approve at the other, and between them the time left. A click meant for something else must not
 * answer.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Approval, StandingRequest } from "../api/queries.ts";
import controls from "../styles/controls.module.css";
import { Time, useNow } from "../text/time.tsx";
import { toVisibleLine } from "../text/visible-line.ts";
import styles from "./answer-bar.module.css";
import { type AnswerState, type Asking, type Hindrance, peopleWords, type Verdict } from "./answer-state.ts";
import { StandingForm } from "./standing-form.tsx";
import { TogetherForm } from "./together-form.tsx";

interface AnswerBarProps {
  readonly approval: Approval;
  readonly state: AnswerState;
  readonly hindrance: Hindrance;
  /** The card hasn't moved lately. */
  readonly isSettled: boolean;
  /** The open form; null: none. */
  readonly asking: Asking | null;
  readonly onApprove: (why: string) => void;
  readonly onDeny: (why: string) => void;
  readonly onStanding: (standing: StandingRequest) => void;
  readonly onTogether: (verdict: Verdict, ids: readonly string[]) => void;
  readonly onAsk: (asking: Asking | null) => void;
}

export function AnswerBar(props: AnswerBarProps): ReactNode {
  const { state, hindrance, isSettled, asking } = props;
  const hintId = useId();
  const hint = hindrance.words;
  return (
    <div className={styles.bar} data-form={asking === "standing" || asking === "together"}>
      {state.kind === "refused" && (
        <p className={styles.hint} role="alert">
          <strong>{state.message}</strong> {state.fix}
        </p>
      )}
      <People {...props.approval} />
      <p id={hintId} className={hint ? styles.hint : controls.hidden}>
        {hint}
      </p>
      {asking === null ? (
        <Buttons {...props} hintId={hintId} />
      ) : asking === "together" ? (
        <TogetherForm
          approval={props.approval}
          isDisabled={isHindered(props, "approve") || !isSettled}
          hintId={hintId}
          onAnswer={props.onTogether}
          onBack={() => props.onAsk(null)}
        />
      ) : asking === "standing" ? (
        <StandingForm
          approval={props.approval}
          isDisabled={isHindered(props, "approve") || !isSettled}
          hintId={hintId}
          onApprove={props.onStanding}
          onBack={() => props.onAsk(null)}
        />
      ) : (
        <ReasonField
          verdict={asking}
          isDisabled={isHindered(props, asking)}
          isSettled={isSettled}
          hintId={hintId}
          onAnswer={asking === "deny" ? props.onDeny : props.onApprove}
          onBack={() => props.onAsk(null)}
        />
      )}
    </div>
  );
}

/** Who must still approve, if one person isn't enough. */
function People({ approvers, approved_by: by }: Pick<Approval, "approvers" | "approved_by">): ReactNode {
  const words = peopleWords(approvers, by);
  return words ? <p className={styles.hint}>{toVisibleLine(words)}</p> : null;
}

const isHindered = ({ hindrance, state }: AnswerBarProps, verdict: Verdict): boolean =>
  state.kind === "sending" || (hindrance.words !== "" && (hindrance.isForAll || verdict === "approve"));

function Buttons(props: AnswerBarProps & { readonly hintId: string }): ReactNode {
  const { approval, state, isSettled, hintId, onApprove, onAsk } = props;
  const [noYes, noNo] = [isHindered(props, "approve"), isHindered(props, "deny")];
  const sent = state.kind === "sending" ? state.answer : null;
  const common = { type: "button", "aria-describedby": hintId } as const;
  return (
    <div className={styles.buttons}>
      <button
        {...common}
        className={`${controls.button} ${styles.no}`}
        aria-disabled={noNo}
        aria-busy={sent === "deny"}
        onClick={() => !noNo && onAsk("deny")}
      >
        {sent === "deny" ? "Denying …" : "Deny"}
      </button>
      <div className={styles.middle}>
        <Remaining at={approval.expires_at} />
        <button
          {...common}
          className={`${controls.quiet} ${styles.reason}`}
          aria-disabled={noYes}
          onClick={() => !noYes && onAsk("approve")}
        >
          Give a reason
          <span className={controls.hidden}> to approve</span>
        </button>
        <button
          {...common}
          className={`${controls.quiet} ${styles.reason}`}
          aria-disabled={noYes}
          onClick={() => !noYes && onAsk("standing")}
        >
          Yes, and calls like this …
        </button>
        {approval.alike > 0 && (
          <button
            {...common}
            className={`${controls.quiet} ${styles.reason}`}
            aria-disabled={noYes}
            onClick={() => !noYes && onAsk("together")}
          >
            With {approval.alike} more like it …
          </button>
        )}
      </div>
      <button
        {...common}
        className={`${controls.primary} ${styles.yes}`}
        aria-disabled={noYes || !isSettled}
        data-still={!noYes}
        aria-busy={sent === "approve"}
        onClick={() => onApprove("")}
      >
        {sent === "approve" ? "Approving …" : approval.release ? "Release and approve" : "Approve"}
      </button>
    </div>
  );
}

const LAST_MINUTE_MS = 60_000;

function Remaining({ at }: { readonly at: string }): ReactNode {
  const isNear = Date.parse(at) - useNow() < LAST_MINUTE_MS;
  return (
    <span className={isNear ? styles.near : styles.left}>
      Expires <Time at={at} />
    </span>
  );
}

interface ReasonFieldProps {
  readonly verdict: Verdict;
  readonly isDisabled: boolean;
  /** The card hasn't moved lately. */
  readonly isSettled: boolean;
  readonly hintId: string;
  readonly onAnswer: (why: string) => void;
  readonly onBack: () => void;
}

const WORDS = { deny: "Deny this call", approve: "Approve this call" } as const;
/** The gateway's limit. */
const MAX_LENGTH = 1_000;
/** The second click of a double click must not answer. */
const FRESH_MS = 400;

/** A person's comment on an answer, before it is sent. */
function ReasonField(props: ReasonFieldProps): ReactNode {
  const { verdict, isDisabled, isSettled, hintId, onAnswer, onBack } = props;
  const [why, setWhy] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const isFresh = useFresh();
  useEffect(() => field.current?.focus(), []);
  const isHeld = isFresh || !isSettled;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onBack();
    // A written reason shows that this card is meant, wherever it is by now.
    const isMeant = why !== "" || !isFresh;
    if (event.key === "Enter" && !event.repeat && isMeant && !isDisabled) onAnswer(why);
  };
  return (
    <div className={styles.reasons}>
      <label className={`${controls.label} ${styles.field}`}>
        Reason (optional)
        <input
          ref={field}
          className={controls.field}
          type="text"
          maxLength={MAX_LENGTH}
          value={why}
          autoComplete="off"
          onChange={(event) => setWhy(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <div className={verdict === "deny" ? styles.pair : styles.pairTurned}>
        <button
          type="button"
          className={`${verdict === "deny" ? controls.button : controls.primary} ${verdict === "deny" ? styles.no : styles.yes}`}
          aria-disabled={isDisabled || isHeld}
          aria-describedby={hintId}
          data-still={!isDisabled}
          onClick={() => !isDisabled && !isHeld && onAnswer(why)}
        >
          {WORDS[verdict]}
        </button>
        <button type="button" className={`${controls.quiet} ${styles.back}`} onClick={onBack}>
          Back
        </button>
      </div>
    </div>
  );
}

/** Whether it has only just appeared. */
function useFresh(): boolean {
  const [isFresh, setFresh] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setFresh(false), FRESH_MS);
    return () => clearTimeout(timer);
  }, []);
  return isFresh;
}
