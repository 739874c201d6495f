/** The queue as this page shows it, kept up to date with the gateway's lists and with time. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ApiError } from "../api/client.ts";
import { approvalQuery, endedQuery, type RecentApproval, waitingQuery } from "../api/queries.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import {
  type ApprovalQueue,
  forget,
  mergeLists,
  newsOf,
  nextExpiry,
  nextLeave,
  type Outcome,
  settle,
} from "./approval-queue.ts";
import { newsWords } from "./outcome-words.ts";
import { useExpiry } from "./use-expiry.ts";

export interface QueueState {
  /** Null until the gateway's first answer. */
  readonly queue: ApprovalQueue | null;
  /** Ended approvals without a card, newest first. */
  readonly decided: readonly RecentApproval[];
  readonly error: Error | null;
  readonly retry: () => void;
  /** Records the outcome of an approval. */
  readonly onOutcome: (id: string, outcome: Outcome) => void;
}

const NONE: readonly RecentApproval[] = Object.freeze([]);

export function useApprovalQueue(): QueueState {
  const waiting = useQuery(waitingQuery());
  const ended = useQuery(endedQuery());
  const [queue, setQueue] = useState<ApprovalQueue | null>(null);
  const [time, setTime] = useState(0);
  const lists = waiting.data;
  const over = ended.data ?? NONE;
  useLayoutEffect(() => {
    if (lists === undefined) return;
    const now = Math.max(Date.now(), time);
    setQueue((before) => mergeLists(before ?? [], { waiting: lists, ended: over, now }));
  }, [lists, over, time]);
  const onOutcome = useCallback((id: string, outcome: Outcome) => {
    setQueue((before) => before && settle(before, id, outcome, Date.now()));
  }, []);
  useLeaving(queue, setTime);
  useExpiry(queue && nextExpiry(queue));
  const onForgotten = useCallback((id: string) => setQueue((before) => before && forget(before, id)), []);
  useGone(queue, onOutcome, onForgotten);
  useNews(queue);
  const shown = new Set(queue?.map(({ approval }) => approval.id));
  return {
    queue,
    decided: over.filter(({ id }) => !shown.has(id)),
    error: queue === null ? waiting.error : null,
    retry: () => void waiting.refetch(),
    onOutcome,
  };
}

/** Updates the queue when a decided card has stayed long enough. */
function useLeaving(queue: ApprovalQueue | null, setTime: (time: number) => void): void {
  const leave = queue && nextLeave(queue);
  useEffect(() => {
    if (leave === null) return;
    const timer = setTimeout(() => setTime(leave), Math.max(250, leave - Date.now()));
    return () => clearTimeout(timer);
  }, [leave, setTime]);
}

/** Requests the outcome of cards that aren't pending, if no list has it; again after a reconnection. */
function useGone(
  queue: ApprovalQueue | null,
  onOutcome: QueueState["onOutcome"],
  onForgotten: (id: string) => void,
): void {
  const client = useQueryClient();
  const isLost = useConnection().kind === "lost";
  const gone = (queue ?? [])
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
function useNews(queue: ApprovalQueue | null): void {
  const announce = useAnnounce();
  const before = useRef<ApprovalQueue | null>(null);
  useEffect(() => {
    const words = before.current && queue && newsWords(newsOf(before.current, queue));
    before.current = queue;
    if (words) announce(words);
  }, [announce, queue]);
}
