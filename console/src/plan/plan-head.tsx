/** Whether the plan is safe, and what can be done with it. */
import { type ReactNode, useRef } from "react";
import { useConnection } from "../shell/live-provider.tsx";
import controls from "../styles/controls.module.css";
import styles from "./plan.module.css";
import { type Verdict, verdictOf } from "./read-check.ts";
import type { BenchActions } from "./use-bench.ts";
import type { Checked, PlanCheck } from "./use-plan.ts";
import type { Playback } from "./use-playback.ts";

interface PlanHeadProps {
  readonly check: PlanCheck;
  readonly isEmpty: boolean;
  readonly canTake: boolean;
  readonly playback: Playback | null;
  readonly actions: BenchActions;
}

export function PlanHead({ check, isEmpty, canTake, playback, actions }: PlanHeadProps): ReactNode {
  const playButton = useRef<HTMLButtonElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const stop = (): void => {
    actions.stop();
    playButton.current?.focus();
  };
  const clear = (): void => {
    actions.replace([], "The plan is empty.");
    title.current?.focus();
  };
  return (
    <div className={styles.planHead}>
      <div className={styles.verdictLine}>
        <h2 ref={title} id="plan-title" tabIndex={-1} className={styles.planTitle}>
          Plan
        </h2>
        <PlanVerdict check={check} isEmpty={isEmpty} />
      </div>
      {!isEmpty && (
        <div className={styles.actions}>
          <button
            type="button"
            className={canTake ? controls.primary : controls.button}
            aria-disabled={!canTake}
            onClick={actions.take}
          >
            Take the safe order
          </button>
          <button
            ref={playButton}
            type="button"
            className={controls.button}
            aria-disabled={!check.isFresh}
            onClick={actions.play}
          >
            Play
          </button>
          {playback && (
            <button type="button" className={controls.button} onClick={stop}>
              {playback.isRunning ? "Stop" : "Back to now"}
            </button>
          )}
          <button type="button" className={controls.quiet} onClick={clear}>
            Clear
          </button>
        </div>
      )}
    </div>
  );
}

function PlanVerdict({ check, isEmpty }: Pick<PlanHeadProps, "check" | "isEmpty">): ReactNode {
  const { checked, isLate, error } = check;
  const { kind } = useConnection();
  return (
    <p role="status" aria-label="Check of the plan" className={styles.verdict}>
      {!isEmpty && checked && (
        <>
          <span className={styles.word} data-verdict={verdictOf(checked.answer)}>
            {verdictOf(checked.answer)}
          </span>{" "}
          <span className={controls.muted}>{explain(checked.answer, kind === "lost")}</span>
        </>
      )}
      {isLate && (
        <span className={controls.muted}>
          {kind === "lost" ? "Not checked: the connection is lost." : error ? "Not checked" : "Checking …"}
        </span>
      )}
    </p>
  );
}

function explain(answer: Checked["answer"], isOld: boolean): string {
  const asks = answer.approvals.length;
  const people = asks === 0 ? "" : ` A person will be asked ${asks === 1 ? "once" : `${asks} times`}.`;
  const old = isOld ? " As of when the connection was lost." : "";
  return `${WORDS[verdictOf(answer)]}${people}${old}`;
}

const WORDS: Readonly<Record<Verdict, string>> = {
  Safe: "in this order.",
  "Not safe": "in this order; another one is.",
  "No safe order": "exists for these calls.",
};
