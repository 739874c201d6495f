/** The page of one approval: pending, or its outcome. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { ApiError } from "../api/client.ts";
import { type Approval, type EndedApproval, foldedApprovalQuery } from "../api/queries.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { useKeys } from "../shell/keys.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Loading, Problem } from "../shell/states.tsx";
import controls from "../styles/controls.module.css";
import { toVisibleLine } from "../text/visible-line.ts";
import { ApprovalCard, type CardActions } from "./approval-card.tsx";
import type { Outcome, Slot } from "./approval-queue.ts";
import styles from "./approvals-page.module.css";
import { OutcomeLine } from "./outcome-line.tsx";
import { outcomeWords } from "./outcome-words.ts";
import { useExpiry } from "./use-expiry.ts";

export function ApprovalPage(): ReactNode {
  const { id } = useParams({ from: "/approvals/$id" });
  return <OneApproval key={id} id={id} />;
}

function OneApproval({ id }: { readonly id: string }): ReactNode {
  usePageTitle("Approval");
  const { slot, ended, queued, error, retry, onOutcome } = useSlot(id);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>Approval</h1>
        <Link to="/approvals">All approvals</Link>
      </header>
      {slot !== null ? (
        <SingleCard slot={slot} onOutcome={onOutcome} />
      ) : ended !== null ? (
        <Ended ended={ended} />
      ) : queued !== null ? (
        <Queued approval={queued} />
      ) : error !== null ? (
        <Problem error={error} onRetry={retry} />
      ) : (
        <Loading what="the approval" />
      )}
    </div>
  );
}

interface Found {
  /** An approval that is pending, or was when the page was opened. */
  readonly slot: Slot | null;
  readonly ended: EndedApproval | null;
  /** Another approval of its session comes first. */
  readonly queued: Approval | null;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly onOutcome: (id: string, outcome: Outcome) => void;
}

/**
 * THREAT: the approval is requested by its id. A list would record other approvals as shown, which nobody has seen
 * here.
 */
function useSlot(id: string): Found {
  const { data, error, refetch } = useQuery(foldedApprovalQuery(id));
  const ended = data !== undefined && "ended_at" in data ? data : null;
  const waiting = data !== undefined && "arguments" in data ? data : null;
  const shown = waiting?.status === "pending" ? waiting : null;
  const last = useRef<Approval | null>(null);
  if (shown !== null) last.current = shown;
  const [answered, setAnswered] = useState<Outcome | null>(null);
  const announce = useAnnounce();
  const onOutcome = useCallback(
    (_: string, outcome: Outcome) => {
      setAnswered(outcome);
      const { done, by, way } = outcomeWords(outcome);
      announce(toVisibleLine(`${done}${by ?? ""}${way}`));
    },
    [announce],
  );
  useExpiry(shown === null ? null : Date.parse(shown.expires_at));
  const approval = shown ?? last.current;
  const outcome = answered ?? ended;
  // Nobody knows the outcome: the gateway has another store now.
  const isForgotten = outcome === null && error instanceof ApiError && error.status === 404;
  const isGone = outcome === null && shown === null;
  return {
    slot: approval && !isForgotten ? { approval, outcome, endedAt: null, isGone } : null,
    ended,
    queued: shown === null ? waiting : null,
    error,
    retry: () => void refetch(),
    onOutcome,
  };
}

interface SingleCardProps {
  readonly slot: Slot;
  readonly onOutcome: Found["onOutcome"];
}

function SingleCard({ slot, onOutcome }: SingleCardProps): ReactNode {
  const card = useRef<CardActions>(null);
  const act = (run: (card: CardActions) => void) => (): void => {
    if (card.current?.holdsFocus()) run(card.current);
  };
  useKeys("Approval", [
    { keys: "j", does: "Go to the card", run: () => card.current?.choose() },
    { keys: "a", does: "Approve it", run: act((one) => one.approve()) },
    { keys: "A", does: "Approve it with a reason", run: act((one) => one.ask("approve")) },
    { keys: "s", does: "Approve it, and calls like it", run: act((one) => one.ask("standing")) },
    {
      keys: "S",
      does: "Approve it with the calls like it that are proposed",
      run: act((one) => one.accept()),
    },
    { keys: "t", does: "Show those like it, to answer them together", run: act((one) => one.together()) },
    { keys: "d", does: "Deny it, with a reason or without", run: act((one) => one.ask("deny")) },
    { keys: "o", does: "Open all that is folded", run: act((one) => one.open()) },
  ]);
  return <ApprovalCard slot={slot} isPage isEntry onOutcome={onOutcome} actions={card} />;
}

function Ended({ ended }: { readonly ended: EndedApproval }): ReactNode {
  return (
    <article className={styles.ended} aria-label="How it ended">
      <OutcomeLine outcome={ended} />
      <p className={controls.muted}>
        What was asked is kept no longer than it waits. The session's page has the call.{" "}
        <Link to="/sessions/$id" params={{ id: ended.session_id }}>
          Go to the session
        </Link>
      </p>
    </article>
  );
}

function Queued({ approval }: { readonly approval: Approval }): ReactNode {
  return (
    <article className={styles.ended} aria-label="It waits behind another one">
      <p>
        <strong>Another call of this session is to be answered first.</strong> This one appears here by itself
        when it is its turn.
      </p>
      <p>
        <Link to="/approvals">Go to the approvals</Link> ·{" "}
        <Link to="/sessions/$id" params={{ id: approval.session_id }}>
          Go to the session
        </Link>
      </p>
    </article>
  );
}
