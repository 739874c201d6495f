/** The queue as this page shows it, kept up to date with the gateway's lists and with time. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ApiError } from "../api/client.ts";
import { approvalQuery, endedQuery, type RecentApproval, waitingQuery } from "../api/queries.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import {
  type ApprovalQueue,
  conclude,
  deal,
  forget,
  newsOf,
  nextExpiry,
  nextLeave,
  type Outcome,
} from "./approval-queue.ts";
import { newsWords } from "./news-words.ts";
import { useExpiry } from "./use-expiry.ts";

export interface QueueState {
  /** Null until the gateway's first answer. */
  readonly deck: ApprovalQueue | null;
  /** Ended approvals without a card, newest first. */
  readonly decided: readonly RecentApproval[];
  readonly error: Error | null;
  readonly retry: () => void;
  /** Records the outcome of an approval. */
  readonly onOutcome: (id: string, outcome: Outcome) => void;
}

const NONE: readonly RecentApproval[] = Object.freeze([]);

export function useDeck(): QueueState {
  const waiting = useQuery(waitingQuery());
  const ended = useQuery(endedQuery());
  const [deck, setDeck] = useState<ApprovalQueue | null>(null);
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
  const onForgotten = useCallback((id: string) => setDeck((before) => before && forget(before, id)), []);
  useGone(deck, onOutcome, onForgotten);
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

/** Updates the queue when a decided card has stayed long enough. */
function useLeaving(deck: ApprovalQueue | null, setTime: (time: number) => void): void {
  const leave = deck && nextLeave(deck);
  useEffect(() => {
    if (leave === null) return;
    const timer = setTimeout(() => setTime(leave), Math.max(250, leave - Date.now()));
    return () => clearTimeout(timer);
  }, [leave, setTime]);
}

/** Requests the outcome of cards that aren't pending, if no list has it; again after a reconnection. */
function useGone(
  deck: ApprovalQueue | null,
  onOutcome: QueueState["onOutcome"],
  onForgotten: (id: string) => void,
): void {
  const client = useQueryClient();
  const isLost = useConnection().kind === "lost";
  const gone = (deck ?? [])
    .filter(({ isGone }) => isGone)
    .map(({ approval }) => approval.id)
    .join(" ");
  useEffect(() => {
    if (isLost) return;
    for (const id of gone.split(" ").filter(Boolean))
      client.fetchQuery({ ...approvalQuery(id), staleTime: 0 }).then(
        (found) => "ended_at" in found && onOutcome(id, found),
        // The gateway has another store now.
        (error: unknown) => error instanceof ApiError && error.status === 404 && onForgotten(id),
      );
  }, [client, gone, isLost, onOutcome, onForgotten]);
}

/** Announces changes since the page was opened. */
function useNews(deck: ApprovalQueue | null): void {
  const announce = useAnnounce();
  const before = useRef<ApprovalQueue | null>(null);
  useEffect(() => {
    const words = before.current && deck && newsWords(newsOf(before.current, deck));
    before.current = deck;
    if (words) announce(words);
  }, [announce, deck]);
}
