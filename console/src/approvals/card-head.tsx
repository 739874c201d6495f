/** The tool, its server, its principal, and a sentence about what an approval permits. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Approval } from "../api/queries.ts";
import { LabelChip } from "../text/label-chip.tsx";
import { Sentence } from "../text/sentence.tsx";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./card.module.css";

interface CardHeadProps {
  readonly approval: Approval;
  readonly titleId: string;
  /** It is the page itself, so it needs no link. */
  readonly isPage: boolean;
}

export function CardHead({ approval, titleId, isPage }: CardHeadProps): ReactNode {
  const {
    id,
    tool,
    what,
    facts,
    principal,
    session_id: session,
    requested_at: at,
    release,
    waiting_behind: behind,
    caller_waits: callerWaits,
    caller_gone: callerGone,
  } = approval;
  return (
    <header className={styles.head}>
      {release && <ReleaseLine approval={approval} />}
      <h2 id={titleId} className={styles.title}>
        <VisibleText>{facts?.name ?? tool}</VisibleText>
      </h2>
      <p className={styles.where}>
        <Place facts={facts} />
        <span>
          for <VisibleText>{principal}</VisibleText>
        </span>
        <span>
          asked <Time at={at} />
        </span>
        <span className={callerGone ? styles.gone : undefined}>
          {callerGone
            ? "its caller has gone"
            : callerWaits
              ? "a call is held for it"
              : "no call is held for it now"}
        </span>
        {behind > 0 && (
          <span>
            {behind} more of this session {behind === 1 ? "waits" : "wait"} behind it
          </span>
        )}
        <Link to="/sessions/$id" params={{ id: session }} aria-label="Session of this call">
          Session
        </Link>
        {!isPage && (
          <Link to="/approvals/$id" params={{ id }} aria-label="Link to this approval">
            Link
          </Link>
        )}
      </p>
      <p className={styles.what}>
        <Sentence>{what}</Sentence>
      </p>
    </header>
  );
}

function Place({ facts }: Pick<Approval, "facts">): ReactNode {
  if (facts === null) return <span>no tool of the policy in force</span>;
  if (facts.server === null) return <span>run by the agent itself</span>;
  return (
    <span>
      on <VisibleText>{facts.server}</VisibleText>
    </span>
  );
}

function ReleaseLine({ approval }: Pick<CardHeadProps, "approval">): ReactNode {
  const { label, tool, facts } = approval;
  const limits = facts?.clearances ?? [];
  return (
    <div className={styles.release}>
      <strong>Release:</strong>{" "}
      <span className={styles.chips}>
        <LabelChip label={label} />
      </span>{" "}
      data goes to{" "}
      <b>
        <VisibleText>{facts?.name ?? tool}</VisibleText>
      </b>
      {limits.length > 0 && (
        <>
          , which may have only{" "}
          {limits.map((clearance) => (
            <span key={JSON.stringify(clearance)} className={styles.chips}>
              <LabelChip label={clearance} />
            </span>
          ))}
        </>
      )}
    </div>
  );
}
