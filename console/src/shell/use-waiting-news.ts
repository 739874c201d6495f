/** Says on every page but the queue's own, which says more of it, that another call waits for a person. */
import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useAnnounce } from "./announcer.tsx";

/** Nobody is told more often: what is said again and again is heard no more. */
const PACE_MS = 10_000;

/** @param waiting in how many sessions a call waits; undefined until that is known */
export function useWaitingNews(waiting: number | undefined): void {
  const announce = useAnnounce();
  const isAtQueue = useLocation({ select: ({ pathname }) => pathname === "/approvals" });
  const before = useRef<number | undefined>(undefined);
  const saidAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const known = before.current;
    before.current = waiting;
    if (waiting === undefined || known === undefined || waiting <= known || isAtQueue) return;
    const now = performance.now();
    if (now - saidAt.current < PACE_MS) return;
    saidAt.current = now;
    announce("Another call waits for a person.");
  }, [waiting, isAtQueue, announce]);
}
