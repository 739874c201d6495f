/** The frame of every page: the navigation, and whether it is connected. */
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { identityQuery, waitingCountQuery, waitingQuery } from "../api/queries.ts";
import { dropToken } from "../api/token.ts";
import { Logo } from "../gauge/logo.tsx";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import { ConnectionBanner, ConnectionSign } from "./connection-sign.tsx";
import { FreezeBanner } from "./freezes.tsx";
import { KeyHelp } from "./key-help.tsx";
import { useKeys } from "./keys.tsx";
import { useCountInTitle } from "./page-title.ts";
import styles from "./shell.module.css";
import { useAllPages } from "./use-all-pages.ts";
import { useWaitingNews } from "./use-waiting-news.ts";

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
