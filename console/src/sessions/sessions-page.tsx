/** All sessions: their principals, their labels, and where calls were denied or wait. */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, type RefObject, useCallback, useDeferredValue, useEffect, useRef } from "react";
import { type SessionFilters, sessionsQuery } from "../api/queries.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useKeys } from "../shell/keys.tsx";
import { useConnection } from "../shell/live-provider.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { changeFilters, hasFilters, toQuery } from "./list-filters.ts";
import { moveFocus } from "./move-focus.ts";
import { Filters } from "./session-filters.tsx";
import { SessionTable } from "./session-table.tsx";
import { counted } from "./session-words.ts";
import styles from "./sessions-page.module.css";
import { useRows } from "./use-rows.ts";

export function SessionsPage(): ReactNode {
  usePageTitle("Sessions");
  const filters = useSearch({ from: "/sessions" });
  const principal = useRef<HTMLInputElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const change = useChange();
  useKeys("Sessions", [
    { keys: "j", does: "The next session", run: () => moveFocus(rowLinks(table.current), 1) },
    { keys: "k", does: "The previous session", run: () => moveFocus(rowLinks(table.current), -1) },
    { keys: "/", does: "Filter by principal", run: () => principal.current?.select() },
  ]);
  const clear = (): void => {
    change(null);
    principal.current?.focus();
  };
  return (
    <div className={styles.page}>
      <h1>Sessions</h1>
      <Filters filters={filters} onChange={change} onClear={clear} principal={principal} />
      <SessionList filters={filters} table={table} />
    </div>
  );
}

const rowLinks = (table: HTMLTableElement | null): readonly HTMLElement[] => [
  ...(table?.querySelectorAll<HTMLElement>("tbody th a") ?? []),
];

/** Changes the address's filters; null removes all. Typing adds nothing to the browser's history. */
function useChange(): (change: SessionFilters | null) => void {
  const navigate = useNavigate({ from: "/sessions" });
  return useCallback(
    (change) =>
      void navigate({
        search: (before) => (change === null ? {} : changeFilters(before, change)),
        replace: change !== null && "principal" in change,
        resetScroll: false,
      }),
    [navigate],
  );
}

interface SessionListProps {
  readonly filters: SessionFilters;
  readonly table: RefObject<HTMLTableElement | null>;
}

function SessionList({ filters, table }: SessionListProps): ReactNode {
  const query = useInfiniteQuery(sessionsQuery(toQuery(filters)));
  const { data, error, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const { changed, hold, release, ...loaded } = useRows(
    data?.pages,
    isPlaceholderData ? "before" : JSON.stringify(filters),
  );
  // Rendering many rows is deferred; the first ones come at once.
  const later = useDeferredValue(loaded.rows);
  const rows = later.length === 0 ? loaded.rows : later;
  const shorten = useShorten(toQuery(filters));
  const leave = useCallback(() => {
    release();
    shorten();
  }, [release, shorten]);
  const isLost = useConnection().kind === "lost";
  useFound(filters, isPlaceholderData ? undefined : data?.pages.at(-1)?.total);
  if (data === undefined) {
    if (error === null) return <Loading what="the sessions" />;
    return <Problem error={error} onRetry={() => void query.refetch()} />;
  }
  const total = data.pages.at(-1)?.total ?? 0;
  return (
    <section aria-label="List" className={styles.list} data-old={isLost || isPlaceholderData}>
      <p className={styles.count}>
        <span>{counted(total, "session")}</span>
        {changed !== null && changed > 0 && (
          <span className={controls.muted}>Order is held while you look; {changed} changed</span>
        )}
      </p>
      {rows.length === 0 ? (
        <NoSessions isFiltered={hasFilters(filters)} />
      ) : (
        <SessionTable rows={rows} onLook={hold} onLeave={leave} table={table} />
      )}
      {hasNextPage && (
        <ShowMore
          shown={rows.length}
          total={total}
          isBusy={isFetchingNextPage}
          isLost={query.isFetchNextPageError}
          onMore={() => void fetchNextPage()}
        />
      )}
    </section>
  );
}

/** Drops all but the first page, when somebody has returned to the top. */
function useShorten(query: SessionFilters): () => void {
  const client = useQueryClient();
  const { queryKey } = sessionsQuery(query);
  const key = useRef(queryKey);
  useEffect(() => {
    key.current = queryKey;
  });
  return useCallback(() => {
    client.setQueryData(key.current, (before) =>
      before === undefined || before.pages.length < 2
        ? before
        : { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
    );
  }, [client]);
}

/** Announces how many there are after a change of filters. */
function useFound(filters: SessionFilters, total: number | undefined): void {
  const announce = useAnnounce();
  const list = JSON.stringify(filters);
  const said = useRef(list);
  useEffect(() => {
    if (total === undefined || said.current === list) return;
    said.current = list;
    announce(counted(total, "session"));
  }, [total, list, announce]);
}

function NoSessions({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered) return <Empty title="No session fits">Clear a filter, or wait for one that does.</Empty>;
  return (
    <Empty title="No session is open">
      A session begins when an agent connects over MCP, or with <code>POST /v1/session</code>. Those that are
      closed are shown with “Closed”.
    </Empty>
  );
}

interface ShowMoreProps {
  readonly shown: number;
  readonly total: number;
  readonly isBusy: boolean;
  /** The last attempt failed: the next one is the person's. */
  readonly isLost: boolean;
  readonly onMore: () => void;
}

/** Requests the next page when it comes near the window. */
function ShowMore({ shown, total, isBusy, isLost, onMore }: ShowMoreProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const newest = useRef(onMore);
  useEffect(() => {
    newest.current = onMore;
  });
  useEffect(() => {
    const { current } = button;
    if (current === null || isBusy || isLost) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && newest.current(), {
      rootMargin: "600px",
    });
    watch.observe(current);
    return () => watch.disconnect();
  }, [isBusy, isLost]);
  return (
    <p className={styles.more}>
      <button ref={button} type="button" className={controls.button} onClick={onMore}>
        Show more
      </button>
      <span className={controls.muted}>
        {shown.toLocaleString("en-GB")} of {total.toLocaleString("en-GB")} are shown
      </span>
    </p>
  );
}
