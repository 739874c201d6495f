/** No at one end, yes at the other, and between them how long there is. It takes nothing that was meant elsewhere. */
import { type ReactNode, useId } from "react";
import type { Approval } from "../api/queries.ts";
import controls from "../styles/controls.module.css";
import { Time, useNow } from "../text/time.tsx";
import styles from "./answer-bar.module.css";
import type { AnswerState, Verdict } from "./answer-state.ts";
import type { Hindrance } from "./hindrance.ts";
import { ReasonField } from "./reason-field.tsx";

export interface AnswerBarProps {
  readonly approval: Approval;
  readonly state: AnswerState;
  readonly hindrance: Hindrance;
  /** The card stands still. */
  readonly isSettled: boolean;
  /** For which answer a reason is written; null: none. */
  readonly asking: Verdict | null;
  readonly onApprove: (why: string) => void;
  readonly onDeny: (why: string) => void;
  readonly onAsk: (verdict: Verdict | null) => void;
}

export function AnswerBar(props: AnswerBarProps): ReactNode {
  const { state, hindrance, isSettled, asking } = props;
  const hintId = useId();
  const hint = hindrance.words;
  return (
    <div className={styles.bar}>
      {state.kind === "refused" && (
        <p className={styles.hint} role="alert">
          <strong>{state.message}</strong> {state.fix}
        </p>
      )}
      <p id={hintId} className={hint ? styles.hint : controls.hidden}>
        {hint}
      </p>
      {asking === null ? (
        <Buttons {...props} hintId={hintId} />
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
