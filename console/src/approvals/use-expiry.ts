/** What nobody answers in time is over without an event: the gateway is asked at the moment when the next one is. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { serverNow } from "../api/clock.ts";

/** Times out longer than this would run at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_OVERDUE_MS = 10_000;

/**
 * Asks anew what waits once `expiry` (milliseconds since 1970, by the gateway's clock) is over; null for none.
 * @param session of which all is asked anew as well
 */
export function useExpiry(expiry: number | null, session: string | null = null): void {
  const client = useQueryClient();
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (expiry === null) return;
    const left = expiry - serverNow();
    // Clocks are never quite the same.
    const pause = left > 0 ? left + 150 : Math.min(MAX_OVERDUE_MS, 500 * (asked + 1));
    const keys = [["approvals"], ...(session === null ? [] : [["session", session]])];
    const ask = (): void =>
      void Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey }))).then(() =>
        setAsked((count) => count + 1),
      );
    const timer = setTimeout(ask, Math.min(MAX_TIMER_MS, pause));
    return () => clearTimeout(timer);
  }, [client, expiry, session, asked]);
}
