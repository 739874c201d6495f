/**
 * Keeps the focus on a step that changes its position, since a moved element loses it. If the step is gone, the one
 * at its position gets the focus.
 */
import { type RefObject, useLayoutEffect, useRef } from "react";
import { itemsOf, stepAround } from "./step-items.ts";

interface Focused {
  readonly id: number;
  readonly element: HTMLElement;
  readonly place: number;
}

/** Records the focused step; called before the order changes. */
export type NoteFocus = () => void;

export function useKeptFocus(list: RefObject<HTMLElement | null>): NoteFocus {
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
