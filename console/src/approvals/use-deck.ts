/** The queue as this page shows it, kept up with the gateway's lists and with time. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { serverNow } from "../api/clock.ts";
import { approvalQuery, endedQuery, type RecentApproval, waitingQuery } from "../api/queries.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { conclude, type Deck, deal, newsOf, nextExpiry, nextLeave, type Outcome } from "./deck.ts";
import { newsWords } from "./news-words.ts";

export interface QueueState {
  /** Null until the gateway has answered for the first time. */
  readonly deck: Deck | null;
  /** Those that are over and have no card any more, newest first. */
  readonly decided: readonly RecentApproval[];
  readonly error: Error | null;
  readonly retry: () => void;
  /** Tells the deck how an approval ended. */
  readonly onOutcome: (id: string, outcome: Outcome) => void;
}

const NONE: readonly RecentApproval[] = Object.freeze([]);

export function useDeck(): QueueState {
  const waiting = useQuery(waitingQuery());
  const ended = useQuery(endedQuery());
  const [deck, setDeck] = useState<Deck | null>(null);
  const [time, setTime] = useState(0);
  const lists = waiting.data;
  const over = ended.data ?? NONE;
  useLayoutEffect(() => {
    if (lists === undefined) return;
    const now = Math.max(Date.now(), time);
    setDeck((before) => deal(before ?? [], { waiting: lists, ended: over, now }));
  }, [lists, over, time]);
  const onOutcome = useCallback((id: string, outcome: Outcome) => {
    setDeck((before) => before && conclude(before, id, outcome, Date.now()));
  }, []);
  useLeaving(deck, setTime);
  useExpiry(deck && nextExpiry(deck));
  useGone(deck, onOutcome);
  useNews(deck);
  const shown = new Set(deck?.map(({ approval }) => approval.id));
  return {
    deck,
    decided: over.filter(({ id }) => !shown.has(id)),
    error: deck === null ? waiting.error : null,
    retry: () => void waiting.refetch(),
    onOutcome,
  };
}

/** Deals anew when a decided card has stayed long enough. */
function useLeaving(deck: Deck | null, setTime: (time: number) => void): void {
  const leave = deck && nextLeave(deck);
  useEffect(() => {
    if (leave === null) return;
    const timer = setTimeout(() => setTime(leave), Math.max(250, leave - Date.now()));
    return () => clearTimeout(timer);
  }, [leave, setTime]);
}

/** Times out longer than this would run at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_OVERDUE_MS = 10_000;

/** What nobody answers in time is over without an event: the gateway is asked at the moment when the next one is. */
export function useExpiry(expiry: number | null): void {
  const client = useQueryClient();
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (expiry === null) return;
    const left = expiry - serverNow();
    // Clocks are never quite the same.
    const pause = left > 0 ? left + 150 : Math.min(LONGEST_OVERDUE_MS, 500 * (asked + 1));
    const ask = (): void =>
      void client.invalidateQueries({ queryKey: ["approvals"] }).then(() => setAsked((count) => count + 1));
    const timer = setTimeout(ask, Math.min(LONGEST_TIMER_MS, pause));
    return () => clearTimeout(timer);
  }, [client, expiry, asked]);
}

/** Asks for the end of what waits no more, where no list tells it. */
function useGone(deck: Deck | null, onOutcome: QueueState["onOutcome"]): void {
  const client = useQueryClient();
  const gone = (deck ?? [])
    .filter(({ isGone }) => isGone)
    .map(({ approval }) => approval.id)
    .join(" ");
  useEffect(() => {
    for (const id of gone.split(" ").filter(Boolean))
      client.fetchQuery({ ...approvalQuery(id), staleTime: 0 }).then(
        (found) => "ended_at" in found && onOutcome(id, found),
        // It is asked again with the next event.
        () => undefined,
      );
  }, [client, gone, onOutcome]);
}

/** Says what is new since the page was opened. */
function useNews(deck: Deck | null): void {
  const announce = useAnnounce();
  const before = useRef<Deck | null>(null);
  useEffect(() => {
    const words = before.current && deck && newsWords(newsOf(before.current, deck));
    before.current = deck;
    if (words) announce(words);
  }, [announce, deck]);
}
