/** A session's timeline as far as it is loaded: the newest events, and earlier ones on demand. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { timelineQuery } from "../api/queries.ts";
import { hasUnsettledBefore, keepEvents, type TimelineEvent } from "./kept-events.ts";

export interface Timeline {
  /** Oldest first; undefined until the gateway has answered. */
  readonly events: readonly TimelineEvent[] | undefined;
  readonly error: Error | null;
  readonly total: number;
  readonly hasEarlier: boolean;
  readonly isLoadingEarlier: boolean;
  /** Whether the last attempt to load them failed, so that it isn't repeated automatically. */
  readonly isEarlierLost: boolean;
  /** Loads events before the first one. */
  readonly showEarlier: () => void;
  readonly retry: () => void;
}

const NONE: readonly TimelineEvent[] = Object.freeze([]);

export function useTimeline(id: string): Timeline {
  const query = useInfiniteQuery(timelineQuery(id));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const { isFetchNextPageError: isEarlierLost } = query;
  const pages = data?.pages;
  const [kept, setKept] = useState(NONE);
  const events = keepEvents(kept, pages ?? []);
  if (events !== kept) setKept(events);
  const total = pages?.[0]?.total ?? 0;
  const first = useRef<number | undefined>(undefined);
  useEffect(() => {
    first.current = events[0]?.seq;
  });
  const showEarlier = useCallback(() => {
    const before = first.current;
    // Events that have left the pages are shown already, so loading continues before them.
    const go = async (): Promise<void> => {
      const { data: now, hasNextPage: hasMore, isFetchNextPageError: isLost } = await fetchNextPage();
      if (isLost) return;
      const reached = now?.pages.at(-1)?.events[0]?.seq;
      if (hasMore && reached !== undefined && before !== undefined && reached >= before) await go();
    };
    void go();
  }, [fetchNextPage]);
  const isUnsettled = pages !== undefined && hasNextPage && hasUnsettledBefore(events, pages);
  useEffect(() => {
    if (isUnsettled && !isFetchingNextPage && !isEarlierLost) void fetchNextPage();
  }, [isUnsettled, isFetchingNextPage, isEarlierLost, fetchNextPage]);
  return {
    events: pages && events,
    error: pages === undefined ? error : null,
    total,
    hasEarlier: hasNextPage && events.length < total,
    isLoadingEarlier: isFetchingNextPage,
    isEarlierLost,
    showEarlier,
    retry: () => void query.refetch(),
  };
}
