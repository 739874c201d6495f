/** A person's comment on an answer, before it is sent. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import controls from "../styles/controls.module.css";
import styles from "./answer-bar.module.css";
import type { Verdict } from "./answer-state.ts";

export interface ReasonFieldProps {
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

export function ReasonField(props: ReasonFieldProps): ReactNode {
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
