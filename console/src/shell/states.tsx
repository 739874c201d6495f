/** A page without content: loading, empty, or an error. */
import type { ReactNode } from "react";
import { ApiError, UnreachableError } from "../api/client.ts";
import controls from "../styles/controls.module.css";
import { Sentence } from "../text/sentence.tsx";
import styles from "./states.module.css";

/** Nothing for a moment, then a word, so that fast answers show no flicker. */
export function Loading({ what }: { readonly what: string }): ReactNode {
  return (
    <p className={styles.loading} aria-live="polite">
      Loading {what} …
    </p>
  );
}

export interface EmptyProps {
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

export interface ProblemProps {
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
