/** Stays at the end of a growing list if the reader is there; otherwise counts new events. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { countAfter, type TimelineEvent } from "./kept-events.ts";

/** Within this distance of its end, a page counts as read. */
const NEAR = 48;

/** Whether a page scrolled this far shows its end. */
export const isAtEnd = (height: number, scrolled: number, shown: number): boolean =>
  height - scrolled - shown <= NEAR;

const pageIsAtEnd = (): boolean =>
  isAtEnd(document.documentElement.scrollHeight, globalThis.scrollY, globalThis.innerHeight);

interface Following {
  /** How many events the reader hasn't seen. */
  readonly unseen: number;
  /** The first of those. */
  readonly firstUnseen: number | null;
  readonly markSeen: () => void;
}

export function useFollowing(events: readonly TimelineEvent[] | undefined): Following {
  const last = events?.at(-1)?.seq ?? null;
  const [seen, setSeen] = useState<number | null>(null);
  const wasAtEnd = useRef(false);
  // What was there when the page opened isn't new.
  if (seen === null && last !== null) setSeen(last);
  useEffect(() => {
    if (last === null) return;
    const look = (): void => {
      wasAtEnd.current = pageIsAtEnd();
      if (wasAtEnd.current) setSeen(last);
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [last]);
  useLayoutEffect(() => {
    if (last === null || !wasAtEnd.current) return;
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  }, [last]);
  const markSeen = useCallback(() => setSeen(last), [last]);
  const unseen = seen === null ? 0 : countAfter(events ?? [], seen);
  return { unseen, firstUnseen: unseen > 0 ? (events?.at(-unseen)?.seq ?? null) : null, markSeen };
}
