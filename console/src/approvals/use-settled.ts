/**
 * Whether a card hasn't moved for long enough to be answered. THREAT: agents choose when cards appear and how large
 * they are, so one could move under a finger.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** After the layout around or above a card has changed. */
const MOVED_MS = 400;
/** After a card was selected by key. */
const CHOSEN_MS = 300;

interface Settling {
  readonly isSettled: boolean;
  /** It was selected by key just now. */
  readonly onChosen: () => void;
  /** Cards around it may have appeared or gone. */
  readonly look: () => void;
  /** By the clock, for events between two renderings. */
  readonly isSettledNow: () => boolean;
}

interface Place {
  readonly top: number;
  readonly height: number;
}

const placeOf = (element: Element): Place => {
  const { top, height } = element.getBoundingClientRect();
  return { top: top + scrollY, height };
};

export function useSettled(element: RefObject<HTMLElement | null>): Settling {
  const [isSettled, setSettled] = useState(false);
  const until = useRef(Number.POSITIVE_INFINITY);
  const place = useRef<Place | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hold = useCallback((milliseconds: number) => {
    const end = performance.now() + milliseconds;
    if (Number.isFinite(until.current) && until.current >= end) return;
    until.current = end;
    setSettled(false);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSettled(true), milliseconds);
  }, []);
  const look = useCallback(() => {
    const { current } = element;
    if (current === null) return;
    const now = placeOf(current);
    const before = place.current;
    place.current = now;
    const isSame =
      before !== null && Math.abs(now.top - before.top) < 1 && Math.abs(now.height - before.height) < 1;
    if (!isSame) hold(MOVED_MS);
  }, [element, hold]);
  useLayoutEffect(look, [look]);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(look);
    observer.observe(current);
    // A banner above, or another card that grows.
    observer.observe(document.body);
    return () => {
      observer.disconnect();
      clearTimeout(timer.current);
      until.current = Number.POSITIVE_INFINITY;
      place.current = null;
    };
  }, [element, look]);
  const onChosen = useCallback(() => hold(CHOSEN_MS), [hold]);
  const isSettledNow = useCallback(() => performance.now() >= until.current, []);
  return { isSettled, onChosen, look, isSettledNow };
}
