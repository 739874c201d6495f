/** A page without content: loading, empty, or an error. */

import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { ApiError, UnreachableError } from "../api/client.ts";
import controls from "../styles/controls.module.css";
import { Sentence } from "../text/sentence.tsx";
import { useConnection } from "./live-provider.tsx";
import styles from "./states.module.css";

/** Nothing for a moment, then a word, so that fast answers show no flicker. */
export function Loading({ what }: { readonly what: string }): ReactNode {
  return (
    <p className={styles.loading} aria-live="polite">
      Loading {what} …
    </p>
  );
}

interface EmptyProps {
  readonly title: string;
  /** What would be shown there. */
  readonly children: ReactNode;
}

export function Empty({ title, children }: EmptyProps): ReactNode {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      <div className={controls.muted}>{children}</div>
    </div>
  );
}

interface ProblemProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** If there was no answer, the gateway may not be running. */
function furtherWords(error: Error): readonly string[] {
  if (error instanceof ApiError) return [error.why, error.fix];
  return error instanceof UnreachableError ? ["Is it running?"] : [];
}

/** An error in the gateway's words, with the fix. */
export function Problem({ error, onRetry }: ProblemProps): ReactNode {
  return (
    <div className={styles.problem} role="alert">
      <h2>
        <Sentence>{error.message}</Sentence>
      </h2>
      {furtherWords(error).map((sentence) => (
        <p key={sentence}>
          <Sentence>{sentence}</Sentence>
        </p>
      ))}
      {onRetry && (
        <button type="button" className={controls.button} onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** For an address without a page. */
export function NotFound(): ReactNode {
  return (
    <Empty title="There is no such page">
      The address may be cut or out of date. <Link to="/approvals">Go to the approvals.</Link>
    </Empty>
  );
}

/** Shown instead of a page that failed; the frame stays. */
export function PageError({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter();
  const { kind } = useConnection();
  const wasLost = useRef(false);
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  useEffect(() => {
    if (kind === "lost") wasLost.current = true;
    if (kind !== "live" || !wasLost.current) return;
    // A part of the page couldn't be loaded; it can be now.
    wasLost.current = false;
    reset();
    void router.invalidate();
  }, [kind, reset, router]);
  const told = error instanceof Error ? error : new TypeError(String(error));
  return <Problem error={kind === "lost" ? new UnreachableError(error) : told} onRetry={retry} />;
}
