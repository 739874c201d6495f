/** An expiry causes no event, so the page asks the gateway when the next approval is due. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { serverNow } from "../api/clock.ts";

/** Longer timers would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_OVERDUE_MS = 10_000;

/**
 * Requests pending approvals again at `expiry` (milliseconds since 1970, by the gateway's clock); null for none.
 * @param session whose data are all requested again too
 */
export function useExpiry(expiry: number | null, session: string | null = null): void {
  const client = useQueryClient();
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (expiry === null) return;
    const left = expiry - serverNow();
    // Clocks always differ a little.
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
