/** The session's principal, its state, and links. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import type { Schema } from "../api/client.ts";
import { openedQuery } from "../api/queries.ts";
import { useExpiry } from "../approvals/use-expiry.ts";
import { useAnnounce } from "../shell/announcer.tsx";
import { FreezeButton } from "../shell/freezes.tsx";
import controls from "../styles/controls.module.css";
import { LabelChip } from "../text/label-chip.tsx";
import { Time } from "../text/time.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import styles from "./session-head.module.css";
import { counted } from "./session-words.ts";

type Session = Schema<"SessionState">;

interface SessionHeadProps {
  readonly session: Session;
  /** When it last changed. */
  readonly lastAt: string | null;
}

export function SessionHead({ session, lastAt }: SessionHeadProps): ReactNode {
  const { session_id: id, principal, role, label, calls, closed, impossible } = session;
  const { data: openedAt } = useQuery(openedQuery(id));
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        <h1>
          <VisibleText>{principal}</VisibleText>
        </h1>
        <LabelChip label={label} />
        {closed && <span className={styles.mark}>closed</span>}
        {impossible !== null && <span className={styles.mark}>given up</span>}
        <Link to="/sessions/$id/plan" params={{ id }} className={`${controls.button} ${styles.bench}`}>
          Plan bench
        </Link>
        {!closed && <FreezeButton target={{ session: id }} what="this session" />}
      </div>
      <ul className={styles.facts}>
        <li>
          {role === null ? (
            "no role"
          ) : (
            <>
              role <VisibleText>{role}</VisibleText>
            </>
          )}
        </li>
        <li>{counted(calls, "call")}</li>
        {openedAt && (
          <li>
            opened <Time at={openedAt} />
          </li>
        )}
        {lastAt !== null && (
          <li>
            last activity <Time at={lastAt} />
          </li>
        )}
        <li>
          <SessionId id={id} />
        </li>
      </ul>
      <Notices session={session} />
      <p className={styles.journal}>
        The raw journal, each entry with its hash: <code>sluicegate journal show {id}</code>
      </p>
    </header>
  );
}

function Notices({ session }: { readonly session: Session }): ReactNode {
  const { session_id: id, impossible, pending } = session;
  useExpiry(pending && Date.parse(pending.expires_at), id);
  return (
    <>
      {pending !== null && (
        <p className={styles.notice}>
          <VisibleText>{pending.tool}</VisibleText> waits for a person and expires{" "}
          <Time at={pending.expires_at} />.{" "}
          <Link to="/approvals/$id" params={{ id: pending.id }}>
            Answer it
          </Link>
        </p>
      )}
      {impossible !== null && (
        <p className={styles.notice}>
          The agent gave its task up <Time at={impossible.at} />
          {impossible.reason === "" ? "." : ": "}
          {impossible.reason !== "" && (
            <q>
              <VisibleText lines>{impossible.reason}</VisibleText>
            </q>
          )}
        </p>
      )}
    </>
  );
}

function SessionId({ id }: { readonly id: string }): ReactNode {
  const code = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const announce = useAnnounce();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(id);
      setCopied(true);
      announce("Copied");
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      // A page without TLS, from another machine, may not copy: people can copy the selection.
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      announce("Selected");
    }
  };
  return (
    <span className={styles.id}>
      <code ref={code}>
        <VisibleText>{id}</VisibleText>
      </code>
      <button
        type="button"
        className={`${controls.quiet} ${styles.copy}`}
        aria-label="Copy the session's id"
        onClick={() => void copy()}
      >
        {isCopied ? "Copied" : "Copy"}
      </button>
    </span>
  );
}
