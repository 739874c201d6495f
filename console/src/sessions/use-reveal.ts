/** Goes to the event in the address: loads it, opens it, focuses it. */
import { useLocation } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { type EventAddress, findEvent, fromHash, isEarlier, toHash } from "./event-address.ts";
import type { Timeline } from "./use-timeline.ts";

interface Reveal {
  /** What the address names and this session doesn't have. */
  readonly missing: string | null;
  /** Goes there again, even if the address is the same. */
  readonly again: () => void;
}

type Loaded = Pick<Timeline, "events" | "hasEarlier" | "isLoadingEarlier" | "isEarlierLost" | "showEarlier">;

export function useReveal(timeline: Loaded, onFound: (seq: number) => void): Reveal {
  const { events, hasEarlier, isLoadingEarlier, isEarlierLost, showEarlier } = timeline;
  const hash = useLocation({ select: (location) => location.hash });
  const [times, setTimes] = useState(0);
  const [missing, setMissing] = useState<string | null>(null);
  const done = useRef("");
  useEffect(() => {
    const wish = `${hash} ${times}`;
    if (done.current === wish || events === undefined || isLoadingEarlier) return;
    const address = fromHash(hash);
    const event = address && findEvent(events, address);
    if (address !== null && event === null && hasEarlier && isEarlier(events, address)) {
      if (!isEarlierLost) showEarlier();
      return;
    }
    done.current = wish;
    setMissing(address !== null && event === null ? hash : null);
    if (event !== null) onFound(event.seq);
  }, [hash, times, events, hasEarlier, isLoadingEarlier, isEarlierLost, showEarlier, onFound]);
  const again = useCallback(() => setTimes((before) => before + 1), []);
  return { missing, again };
}

/** Puts the focus on an event that is shown. */
export function focusEvent(seq: number): void {
  const element = document.getElementById(toHash({ kind: "seq", seq } satisfies EventAddress));
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "center" });
}
