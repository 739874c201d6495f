/** The frame of every page: the navigation, and whether it is connected. */
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { identityQuery, waitingCountQuery, waitingQuery } from "../api/queries.ts";
import { dropToken } from "../api/token.ts";
import { Logo } from "../gauge/logo.tsx";
import controls from "../styles/controls.module.css";
import { toDuration, useNow } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { useAnnounce } from "./announcer.tsx";
import { FreezeBanner } from "./freezes.tsx";
import { KeyHelp, useKeys } from "./keys.tsx";
import { useConnection, useReconnect } from "./live-provider.tsx";
import { closeNotice, showNotice } from "./notices.tsx";
import { useCountInTitle } from "./page-title.ts";
import styles from "./shell.module.css";

export function Shell(): ReactNode {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const navigate = useNavigate();
  useAllPages();
  useKeys("Everywhere", [
    { keys: "g a", does: "Go to Approvals", run: () => void navigate({ to: "/approvals" }) },
    { keys: "g s", does: "Go to Sessions", run: () => void navigate({ to: "/sessions" }) },
    { keys: "g p", does: "Go to Policy", run: () => void navigate({ to: "/policy" }) },
    { keys: "?", does: "Show these keys", run: () => setHelpOpen(true) },
  ]);
  return (
    <>
      <a className={styles.skip} href="#content">
        Skip to the page
      </a>
      <div className={styles.top}>
        <header className={styles.head}>
          <Link to="/approvals" className={styles.brand} aria-label="Sluicegate">
            <Logo />
            <span className={styles.name}>Sluicegate</span>
          </Link>
          <Navigation />
          <div className={styles.tools}>
            <ConnectionSign />
            <Who />
            <button
              type="button"
              className={`${controls.quiet} ${styles.keys}`}
              aria-label="Keyboard shortcuts"
              onClick={() => setHelpOpen(true)}
            >
              <kbd className={controls.kbd}>?</kbd>
            </button>
            <button type="button" className={controls.quiet} onClick={dropToken}>
              Sign out
            </button>
          </div>
        </header>
        <ConnectionBanner />
        <FreezeBanner />
      </div>
      <main id="content" className={styles.content} tabIndex={-1}>
        <Outlet />
      </main>
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </>
  );
}

/** Who the token of this page belongs to. */
function Who(): ReactNode {
  const { data } = useQuery(identityQuery());
  if (data === undefined) return null;
  return (
    <span className={controls.muted}>
      <span className={controls.hidden}>Signed in as </span>
      <VisibleText>{data.principal}</VisibleText>
    </span>
  );
}

function Navigation(): ReactNode {
  const { data, isError } = useQuery(waitingCountQuery());
  // With `approve` but not `look`, only the queue is known, as the approvals page has fetched it.
  const { data: queue } = useQuery({ ...waitingQuery(), enabled: false });
  const known = data ?? (isError ? queue?.length : undefined);
  const waiting = known ?? 0;
  useWaitingNews(known);
  useCountInTitle(waiting);
  const active = {
    activeProps: { className: `${styles.link} ${styles.active}`, "aria-current": "page" },
  } as const;
  return (
    <nav aria-label="Main" className={styles.navigation}>
      <Link to="/approvals" className={styles.link} {...active}>
        Approvals
        {waiting > 0 && (
          <span className={styles.count}>
            {waiting}
            <span className={controls.hidden}> waiting</span>
          </span>
        )}
      </Link>
      <Link to="/sessions" className={styles.link} {...active}>
        Sessions
      </Link>
      <Link to="/policy" className={styles.link} {...active}>
        Policy
      </Link>
    </nav>
  );
}

const WORDS = { connecting: "Connecting", live: "Live", lost: "Connection lost" } as const;

/** A word in the page's head. */
function ConnectionSign(): ReactNode {
  const { kind } = useConnection();
  return (
    <span role="status" aria-label="Connection" className={styles.connection} data-kind={kind}>
      <i aria-hidden="true" />
      {WORDS[kind]}
    </span>
  );
}

/** A banner while the connection is lost: the content may be outdated. */
function ConnectionBanner(): ReactNode {
  const connection = useConnection();
  return connection.kind === "lost" ? <LostBanner since={connection.since} /> : null;
}

function LostBanner({ since }: { readonly since: number }): ReactNode {
  const reconnect = useReconnect();
  useNow();
  return (
    <div className={styles.banner}>
      <p>
        <strong>Connection lost.</strong> What you see is {toDuration(Date.now() - since)} old, and can't be
        answered. Trying again by itself.
      </p>
      <button type="button" className={controls.button} onClick={reconnect}>
        Try now
      </button>
    </div>
  );
}

/** The first page's own requests go first. */
const LATER_MS = 300;

/** Loads the code of every page when there is time: pages then open even if the gateway is down. */
function useAllPages(): void {
  const router = useRouter();
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const route of Object.values(router.routesById)) router.loadRouteChunk(route)?.catch(() => {});
    }, LATER_MS);
    return () => clearTimeout(timer);
  }, [router]);
}

/** The minimum time between two announcements. */
const PACE_MS = 10_000;

/**
 * Announces that another call is pending: by a notification to people who look elsewhere, and to screen readers on
 * every page but the queue's own, which says more.
 * @param waiting the number of sessions with pending approvals; undefined until that is known
 */
function useWaitingNews(waiting: number | undefined): void {
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
