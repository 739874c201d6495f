/** Similar calls, each with all of its arguments, answered together. Only calls that are shown are approved. */
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from "react";
import { type Approval, alikeQuery } from "../api/queries.ts";
import { Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { Time } from "../text/time.tsx";
import type { Verdict } from "./answer-state.ts";
import { CardContents } from "./card-contents.tsx";
import { WhyAsked } from "./card-reasons.tsx";
import styles from "./standing-form.module.css";
import { useFolds } from "./use-folds.ts";

interface TogetherFormProps {
  readonly approval: Approval;
  /** It can't be answered now, or the card moves. */
  readonly isDisabled: boolean;
  readonly hintId: string;
  readonly onAnswer: (verdict: Verdict, ids: readonly string[]) => void;
  readonly onBack: () => void;
}

export function TogetherForm(props: TogetherFormProps): ReactNode {
  const { approval, isDisabled, hintId, onAnswer, onBack } = props;
  const titleId = useId();
  const form = useRef<HTMLFormElement>(null);
  const { data, error, refetch } = useQuery(alikeQuery(approval.id));
  const others = data?.filter(({ id }) => id !== approval.id) ?? [];
  const { missing, onMissing } = useMissing();
  useEffect(() => form.current?.focus(), []);
  const count = others.length + 1;
  const folded = others.filter(({ id }) => missing.get(id) !== 0).length;
  const isHeld = isDisabled || data === undefined;
  const answer = (verdict: Verdict): void => onAnswer(verdict, [approval.id, ...others.map(({ id }) => id)]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !event.nativeEvent.isComposing) onBack();
  };
  const noYes = isHeld || folded > 0;
  return (
    <form
      ref={form}
      className={styles.form}
      tabIndex={-1}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
      onSubmit={(event) => event.preventDefault()}
    >
      <h3 id={titleId}>This call, and those like it</h3>
      {data === undefined ? (
        error === null ? (
          <Loading what="those like it" />
        ) : (
          <Problem error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <ol className={styles.calls}>
          {others.map((one) => (
            <Call key={one.id} approval={one} onMissing={onMissing} />
          ))}
        </ol>
      )}
      {data !== undefined && folded > 0 && <p>Open what is folded first: a yes is for all of it.</p>}
      <div className={styles.buttons}>
        <button
          type="button"
          className={`${controls.primary} ${controls.large}`}
          aria-disabled={noYes}
          aria-describedby={hintId}
          onClick={() => !noYes && answer("approve")}
        >
          {approval.release ? "Release and approve" : "Approve"} all {count}
        </button>
        <button type="button" className={`${controls.quiet} ${controls.large}`} onClick={onBack}>
          Back
        </button>
        <button
          type="button"
          className={`${controls.button} ${controls.large}`}
          aria-disabled={isHeld}
          aria-describedby={hintId}
          onClick={() => !isHeld && answer("deny")}
        >
          Deny all {count}
        </button>
      </div>
    </form>
  );
}

type OnMissing = (id: string, missing: number) => void;

/** How many collapsed parts of each call weren't opened yet. */
function useMissing(): { readonly missing: ReadonlyMap<string, number>; readonly onMissing: OnMissing } {
  const [missing, setMissing] = useState<ReadonlyMap<string, number>>(() => new Map());
  const onMissing = useCallback<OnMissing>(
    (id, count) => setMissing((before) => new Map(before).set(id, count)),
    [],
  );
  return { missing, onMissing };
}

function Call({
  approval,
  onMissing,
}: {
  readonly approval: Approval;
  readonly onMissing: OnMissing;
}): ReactNode {
  const { id, requested_at: at } = approval;
  const folds = useFolds(approval);
  const missing = folds.missing.length;
  useEffect(() => onMissing(id, missing), [id, missing, onMissing]);
  return (
    <li className={styles.call}>
      <p className={controls.muted}>
        Asked <Time at={at} />
      </p>
      <CardContents approval={approval} folds={folds} />
      <WhyAsked approval={approval} />
    </li>
  );
}
