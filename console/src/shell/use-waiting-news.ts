/**
 * Announces that another call is pending: by a notification to people who look elsewhere, and to screen readers on
 * every page but the queue's own, which says more.
 */
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useAnnounce } from "./announcer.tsx";
import { closeNotice, showNotice } from "./notices.tsx";

/** The minimum time between two announcements. */
const PACE_MS = 10_000;

/** @param waiting the number of sessions with pending approvals; undefined until that is known */
export function useWaitingNews(waiting: number | undefined): void {
  const announce = useAnnounce();
  const navigate = useNavigate();
  const isAtQueue = useLocation({ select: ({ pathname }) => pathname === "/approvals" });
  const before = useRef<number | undefined>(undefined);
  const saidAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    addEventListener("focus", closeNotice);
    return () => {
      removeEventListener("focus", closeNotice);
      closeNotice();
    };
  }, []);
  useEffect(() => {
    const known = before.current;
    before.current = waiting;
    if (waiting === 0) closeNotice();
    if (waiting === undefined || known === undefined || waiting <= known) return;
    const now = performance.now();
    const isSoon = now - saidAt.current < PACE_MS;
    showNotice(waiting, { silent: isSoon, onOpen: () => void navigate({ to: "/approvals" }) });
    if (isSoon) return;
    saidAt.current = now;
    if (!isAtQueue) announce("Another call waits for a person.");
  }, [waiting, isAtQueue, announce, navigate]);
}
