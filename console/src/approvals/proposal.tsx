/** The standing approval that is proposed after three similar approvals. THREAT: the words quote what agents sent. */
import { type ReactNode, useId } from "react";
import type { StandingOffer } from "../api/queries.ts";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./card.module.css";

export interface ProposalProps {
  readonly proposal: StandingOffer;
  readonly isDisabled: boolean;
  readonly onAccept: () => void;
}

export function Proposal({ proposal, isDisabled, onAccept }: ProposalProps): ReactNode {
  const id = useId();
  return (
    <section className={styles.part}>
      <h3>Calls like it were approved three times</h3>
      <p id={id} className={styles.proposal}>
        <VisibleText>{proposal.words}</VisibleText>
      </p>
      <button
        type="button"
        className={`${controls.button} ${styles.accept}`}
        aria-disabled={isDisabled}
        aria-describedby={id}
        onClick={() => !isDisabled && onAccept()}
      >
        Approve it, and such calls
      </button>
    </section>
  );
}
