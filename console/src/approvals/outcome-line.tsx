/** The outcome of an approval: what, by whom, when, and the comment. */
import type { ReactNode } from "react";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import type { Outcome } from "./approval-queue.ts";
import styles from "./outcome.module.css";
import { outcomeWords } from "./outcome-words.ts";

/** Drawn, since not every font has these signs: a tick, a cross, a dash. */
const SIGN: Readonly<Record<Outcome["status"], string>> = {
  approved: "M3 6.5l2.2 2.2L9.5 3.8",
  denied: "M3.2 3.2l5.6 5.6m0-5.6l-5.6 5.6",
  expired: "M3 6h6",
  cancelled: "M3 6h6",
};

export function OutcomeLine({ outcome }: { readonly outcome: Outcome }): ReactNode {
  const { done, by, way } = outcomeWords(outcome);
  return (
    <p className={styles.line}>
      <svg className={styles.sign} data-status={outcome.status} viewBox="-2 -2 16 16" aria-hidden="true">
        <circle cx="6" cy="6" r="7" />
        <path d={SIGN[outcome.status]} />
      </svg>
      <span className={styles.told}>
        <strong className={styles.words}>
          {done}
          {by !== null && <VisibleText>{by}</VisibleText>}
          {way !== "" && <VisibleText>{way}</VisibleText>}
        </strong>
        <span className={styles.when}>
          <Time at={outcome.ended_at} />
        </span>
      </span>
      {outcome.why && (
        <q className={styles.why}>
          <VisibleText>{outcome.why}</VisibleText>
        </q>
      )}
    </p>
  );
}
