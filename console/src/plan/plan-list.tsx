/** The steps in their order, moved by button, key or pointer. */
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import styles from "./plan.module.css";
import type { StepChecks } from "./read-check.ts";
import { stepAround } from "./step-items.ts";
import { StepRow } from "./step-row.tsx";
import { placeOf, type Step } from "./steps.ts";
import { useDrag } from "./use-drag.ts";
import { useFlip } from "./use-flip.ts";
import { useKeptFocus } from "./use-kept-focus.ts";

export interface PlanListProps {
  readonly steps: readonly Step[];
  readonly checks: StepChecks | null;
  /** The position of the step that is being played. */
  readonly current: number | null;
  readonly onMove: (id: number, to: number) => void;
  readonly onPreview: (id: number, to: number) => void;
  readonly onDrop: (id: number, isTaken: boolean) => void;
  readonly onRemove: (id: number) => void;
}

export function PlanList({ steps, checks, current, ...on }: PlanListProps): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const noteFocus = useKeptFocus(list);
  const held = useDrag(list, { onMove: on.onPreview, onEnd: on.onDrop });
  useFlip(list, held);
  useCurrentInView(list, current);
  const move = (id: number, by: number): void => {
    noteFocus();
    on.onMove(id, placeOf(steps, id) + by);
  };
  useMoveKeys(list, move);
  return (
    <ol ref={list} className={styles.steps} aria-label="Plan" tabIndex={-1}>
      {steps.map((step, at) => (
        <StepRow
          key={step.id}
          step={step}
          place={at}
          count={steps.length}
          check={checks?.get(step.id) ?? null}
          isCurrent={at === current}
          isHeld={step.id === held}
          onMove={(by) => move(step.id, by)}
          onRemove={() => {
            noteFocus();
            on.onRemove(step.id);
          }}
        />
      ))}
    </ol>
  );
}

/** Alt with an arrow moves the focused step. */
function useMoveKeys(
  list: React.RefObject<HTMLElement | null>,
  move: (id: number, by: number) => void,
): void {
  const newest = useRef(move);
  useLayoutEffect(() => {
    newest.current = move;
  });
  useEffect(() => {
    const { current } = list;
    const press = (event: KeyboardEvent): void => {
      const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
      const item = stepAround(event.target);
      if (by === 0 || !event.altKey || item === null) return;
      event.preventDefault();
      newest.current(item.id, by);
    };
    current?.addEventListener("keydown", press);
    return () => current?.removeEventListener("keydown", press);
  }, [list]);
}

function useCurrentInView(list: React.RefObject<HTMLElement | null>, current: number | null): void {
  useEffect(() => {
    if (current !== null) list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [list, current]);
}
