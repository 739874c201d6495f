/** A pending call with everything needed to judge it; or its outcome. */
import { memo, type ReactNode, type Ref, useId, useImperativeHandle, useRef, useState } from "react";
import type { StandingOffer, StandingRequest } from "../api/queries.ts";
import { useRight } from "../api/use-right.ts";
import { useConnection } from "../shell/live-provider.tsx";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import { AnswerBar } from "./answer-bar.tsx";
import { type Asking, hindranceOf, type Verdict } from "./answer-state.ts";
import type { Outcome, Slot } from "./approval-queue.ts";
import styles from "./card.module.css";
import { CardContents } from "./card-contents.tsx";
import { CardHead } from "./card-head.tsx";
import { WhatIsHeld, WhereFrom, WhyAsked } from "./card-reasons.tsx";
import { OutcomeLine } from "./outcome-line.tsx";
import { useAnswer } from "./use-answer.ts";
import { useFolds } from "./use-folds.ts";
import { useSettled } from "./use-settled.ts";

/** A card's actions for keys. */
export interface CardActions {
  /** Focuses it. */
  readonly choose: () => void;
  readonly holdsFocus: () => boolean;
  readonly approve: () => void;
  readonly ask: (asking: Asking) => void;
  /** Approves it, and the proposed kind of calls in advance. */
  readonly accept: () => void;
  /** Shows similar pending calls, if there are any. */
  readonly together: () => void;
  readonly open: () => void;
  /** Checks whether it has moved. */
  readonly look: () => void;
}

interface ApprovalCardProps {
  readonly slot: Slot;
  readonly isPage?: boolean;
  /** Reached by Tab; one card of a queue is. */
  readonly isEntry: boolean;
  readonly onOutcome: (id: string, outcome: Outcome) => void;
  readonly onFocus?: (id: string) => void;
  readonly actions?: Ref<CardActions>;
}

export const ApprovalCard = memo(function ApprovalCard(props: ApprovalCardProps): ReactNode {
  const { slot, isPage = false, isEntry, onOutcome, onFocus, actions } = props;
  const { approval, outcome, isGone } = slot;
  const titleId = useId();
  const element = useRef<HTMLElement>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const folds = useFolds(approval);
  const settling = useSettled(element);
  const answering = useAnswer(approval.id, onOutcome);
  const isLost = useConnection().kind === "lost";
  const { state } = answering;
  const hindrance = hindranceOf({ isLost, isGone, state, missing: folds.missing });
  const may = useRight("approve");
  const isFree = (verdict: Asking): boolean =>
    may &&
    outcome === null &&
    state.kind !== "sending" &&
    (hindrance.words === "" || (verdict === "deny" && !hindrance.isForAll));
  const focusCard = (): void => element.current?.focus({ preventScroll: true });
  const answer = (verdict: Verdict, why: string, standing?: StandingRequest): void => {
    if (!isFree(verdict)) return;
    focusCard();
    setAsking(null);
    answering.send(verdict, why, standing);
  };
  const ask = (next: Asking | null): void => {
    if (next !== null && !isFree(next)) return;
    setAsking(next);
    if (next === null) focusCard();
  };
  const approve = (): void => {
    if (settling.isSettledNow()) answer("approve", "");
  };
  const accept = (): void => {
    if (approval.proposal && settling.isSettledNow()) answer("approve", "", approval.proposal.standing);
  };
  useImperativeHandle(actions, () => ({
    choose: () => {
      settling.onChosen();
      focusCard();
      const isTall = (element.current?.offsetHeight ?? 0) > innerHeight / 2;
      element.current?.scrollIntoView({ block: isTall ? "start" : "nearest" });
    },
    holdsFocus: () => element.current?.contains(document.activeElement) === true,
    approve,
    ask,
    accept,
    together: () => approval.alike > 0 && ask("together"),
    open: folds.openAll,
    look: settling.look,
  }));
  return (
    <article
      ref={element}
      className={styles.card}
      aria-labelledby={titleId}
      tabIndex={isEntry ? 0 : -1}
      data-over={outcome !== null}
      onFocus={() => onFocus?.(approval.id)}
    >
      <CardHead approval={approval} titleId={titleId} isPage={isPage} />
      <div className={styles.body}>
        <CardContents approval={approval} folds={folds} />
        <div className={styles.reasons}>
          <WhyAsked approval={approval} />
          {may && outcome === null && approval.proposal && (
            <Proposal
              proposal={approval.proposal}
              isDisabled={!isFree("approve") || !settling.isSettled}
              onAccept={accept}
            />
          )}
          <WhereFrom approval={approval} />
          <WhatIsHeld approval={approval} />
        </div>
      </div>
      {outcome === null && !may ? (
        <p className={styles.outcome}>Your token lets you look at approvals, and not answer them.</p>
      ) : outcome === null ? (
        <AnswerBar
          approval={approval}
          state={state}
          hindrance={hindrance}
          isSettled={settling.isSettled}
          asking={asking}
          onApprove={asking === null ? approve : (why) => answer("approve", why)}
          onDeny={(why) => answer("deny", why)}
          onStanding={(standing) => answer("approve", "", standing)}
          onTogether={(verdict, ids) => {
            if (!isFree(verdict)) return;
            focusCard();
            answering.sendAll(verdict, ids);
          }}
          onAsk={ask}
        />
      ) : (
        <div className={styles.outcome}>
          <OutcomeLine outcome={outcome} />
          {state.kind === "late" && <p className={styles.late}>{state.words}</p>}
        </div>
      )}
    </article>
  );
});

interface ProposalProps {
  readonly proposal: StandingOffer;
  readonly isDisabled: boolean;
  readonly onAccept: () => void;
}

/** The standing approval that is proposed after three similar approvals. THREAT: the words quote what agents sent. */
function Proposal({ proposal, isDisabled, onAccept }: ProposalProps): ReactNode {
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
