/** The steps in their order, moved by button, key or pointer. */
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { isStill } from "../shell/use-media.ts";
import styles from "./plan.module.css";
import type { StepChecks } from "./read-check.ts";
import { itemsOf, stepAround } from "./step-items.ts";
import { StepRow } from "./step-row.tsx";
import { placeOf, type Step } from "./steps.ts";
import { useDrag } from "./use-drag.ts";

interface PlanListProps {
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

const MOVE = { duration: 400, easing: "cubic-bezier(0.3, 0, 0.2, 1)" } as const;

/**
 * Animates list items that change their position: each is at its new position at once, and drawn from the old one to
 * there (FLIP). Not with reduced motion. `held` is the dragged step, which follows only the pointer.
 */
function useFlip(list: RefObject<HTMLElement | null>, held: number | null): void {
  const before = useRef<ReadonlyMap<number, number>>(new Map());
  // After each rendering: the content under a step may have grown as well.
  useLayoutEffect(() => {
    const items = itemsOf(list.current);
    const moves = items.flatMap(({ id, element }) => {
      const was = before.current.get(id);
      const by = was === undefined ? 0 : was - element.offsetTop;
      return by === 0 || id === held ? [] : [{ element, by }];
    });
    const order = items.map(({ id }) => id).join();
    const isMoved = order !== [...before.current.keys()].join();
    before.current = new Map(items.map(({ id, element }) => [id, element.offsetTop]));
    if (!isMoved || isStill()) return;
    for (const { element, by } of moves) {
      element.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], MOVE);
    }
  });
}

interface Focused {
  readonly id: number;
  readonly element: HTMLElement;
  readonly place: number;
}

/** Records the focused step; called before the order changes. */
type NoteFocus = () => void;

/**
 * Keeps the focus on a step that changes its position, since a moved element loses it. If the step is gone, the one
 * at its position gets the focus.
 */
function useKeptFocus(list: RefObject<HTMLElement | null>): NoteFocus {
  const noted = useRef<Focused | null>(null);
  useLayoutEffect(() => {
    const { current: had } = noted;
    noted.current = null;
    if (had === null || document.activeElement === had.element) return;
    const items = itemsOf(list.current);
    const isThere = items.some(({ id }) => id === had.id);
    const heir = items[Math.min(had.place, items.length - 1)]?.element ?? list.current;
    (isThere ? had.element : heir)?.focus({ preventScroll: isThere });
  });
  return () => {
    const element = document.activeElement;
    const item = stepAround(element);
    if (item === null || !(element instanceof HTMLElement) || !list.current?.contains(element)) return;
    const place = itemsOf(list.current).findIndex(({ id }) => id === item.id);
    noted.current = { id: item.id, element, place };
  };
}
