/** A tool whose definition waits for review. */
import type { ReactNode } from "react";
import controls from "../styles/controls.module.css";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { CopiedCommand } from "./copied-command.tsx";
import { Hash } from "./hash.tsx";
import styles from "./pins.module.css";
import { acceptCommand } from "./shell-word.ts";
import type { ToolReview } from "./sort-pins.ts";
import { TextChange } from "./text-change.tsx";

const WORDS: Readonly<Record<ToolReview["status"], string>> = {
  changed: "changed, withheld",
  unclassified: "unclassified",
  missing: "missing",
  pinned: "doubtful",
};

/** The meaning of a status for users of the tool. */
export const MEANINGS: Readonly<Record<ToolReview["status"], string>> = {
  changed: "No session has it until a person accepts what its server says of it now.",
  unclassified: "Unclassified: the policy's file doesn't name it, so it isn't pinned.",
  missing: "Missing: it was accepted once, and its server doesn't offer it now.",
  pinned: "It is in use, as it was accepted.",
};

export function PinCard({ review }: { readonly review: ToolReview }): ReactNode {
  const { tool, server, name, status, hash, offered_hash, difference, more_differences } = review;
  return (
    <article className={styles.card} aria-label={`${status} definition`}>
      <header className={styles.cardHead}>
        <h4>
          <code>
            <VisibleText>{name}</VisibleText>
          </code>
        </h4>
        <span className={styles.status} data-status={status}>
          {WORDS[status]}
        </span>
        <span className={controls.muted}>
          of <VisibleText>{server}</VisibleText>
        </span>
      </header>
      <p className={controls.muted}>{MEANINGS[status]}</p>
      {review.problem !== null && (
        <p className={styles.warning}>
          <Sentence>{review.problem}</Sentence>
        </p>
      )}
      {review.doubt !== null && (
        <p className={styles.warning}>
          <Sentence>{review.doubt}</Sentence>
        </p>
      )}
      {difference.length > 0 && <Differences difference={difference} more={more_differences} />}
      {status === "changed" && (
        <>
          <p className={styles.hashes}>
            {hash !== null && (
              <span>
                accepted <Hash hash={hash} />
              </span>
            )}
            {offered_hash !== null && (
              <span>
                offered now <Hash hash={offered_hash} />
              </span>
            )}
          </p>
          {offered_hash === null ? (
            <p>It has no form that could be accepted. Ask whoever runs the server to fix it.</p>
          ) : (
            <div className={styles.accept}>
              <p>Once you have looked at it, and only if it is what you want agents to read:</p>
              <CopiedCommand command={acceptCommand(tool, offered_hash)} />
            </div>
          )}
        </>
      )}
    </article>
  );
}

interface DifferencesProps {
  readonly difference: ToolReview["difference"];
  readonly more: number;
}

function Differences({ difference, more }: DifferencesProps): ReactNode {
  return (
    <div className={styles.differences}>
      {[...difference.entries()].map(([at, { path, before, after }]) => (
        <div key={at} className={styles.difference}>
          <p className={styles.path}>
            {path === "" ? "The whole definition" : <VisibleText>{path}</VisibleText>}
          </p>
          <TextChange before={before} after={after} />
        </div>
      ))}
      {more > 0 && (
        <p>
          <strong>And {more} more differences</strong>, which <code>sluicegate tools</code> doesn&apos;t list
          either: ask for the definition at its server.
        </p>
      )}
    </div>
  );
}
