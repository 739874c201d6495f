/** A tool whose definition waits for review. */
import { type ReactNode, useId, useRef, useState } from "react";
import { useAnnounce } from "../shell/announcer.tsx";
import controls from "../styles/controls.module.css";
import { Sentence } from "../text/sentence.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { Hash } from "./hash.tsx";
import { splitChange, type ToolReview } from "./pin-changes.ts";
import styles from "./pins.module.css";
import { acceptCommand } from "./shell-word.ts";
import changeStyles from "./text-change.module.css";

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

interface TextChangeProps {
  /** Null if there was none. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A text before and after a change. A server wrote both. */
function TextChange({ before, after }: TextChangeProps): ReactNode {
  const { head, tail, ...changed } = splitChange(before ?? "", after ?? "");
  return (
    <div className={changeStyles.change}>
      {before !== null && (
        <p className={changeStyles.removed}>
          <span className={controls.hidden}>Before: </span>
          <VisibleText isPart>{head}</VisibleText>
          {changed.before !== "" && (
            <del>
              <VisibleText>{changed.before}</VisibleText>
            </del>
          )}
          <VisibleText isPart>{tail}</VisibleText>
        </p>
      )}
      {after !== null && (
        <p className={changeStyles.added}>
          <span className={controls.hidden}>Now: </span>
          <VisibleText isPart>{head}</VisibleText>
          {changed.after !== "" && (
            <ins>
              <VisibleText>{changed.after}</VisibleText>
            </ins>
          )}
          <VisibleText isPart>{tail}</VisibleText>
        </p>
      )}
    </div>
  );
}

/** A command to run elsewhere, with a button that copies it. */
function CopiedCommand({ command }: { readonly command: string }): ReactNode {
  const id = useId();
  const text = useRef<HTMLElement>(null);
  const [word, setWord] = useState("Copy");
  const announce = useAnnounce();
  const copy = async (): Promise<void> => {
    const isCopied = await navigator.clipboard?.writeText(command).then(
      () => true,
      () => false,
    );
    if (!isCopied && text.current) getSelection()?.selectAllChildren(text.current);
    setWord(isCopied ? "Copied" : "Selected");
    announce(isCopied ? "The command is copied." : "The command is selected; copy it by key.");
  };
  return (
    <p className={styles.command}>
      <code ref={text} id={id}>
        <VisibleText>{command}</VisibleText>
      </code>
      <button
        type="button"
        className={controls.button}
        aria-describedby={id}
        onClick={() => void copy()}
        onBlur={() => setWord("Copy")}
      >
        {word}
      </button>
    </p>
  );
}
