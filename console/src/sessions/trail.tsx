/** The checks of a call, in their order. */
import type { ReactNode } from "react";
import type { Schema } from "../api/client.ts";
import { Sentence } from "../text/sentence.tsx";
import { keyed } from "./keyed.ts";
import { PASSED, RESULTS, SKIPPED } from "./timeline-words.ts";
import styles from "./trail.module.css";

type Entry = Schema<"TrailEntry">;

export function Trail({ trail }: { readonly trail: readonly Entry[] }): ReactNode {
  return (
    <ol className={styles.trail} aria-label="Checks">
      {trail.map((entry) => (
        <li key={entry.check}>
          <span className={styles.check}>{entry.check}</span>
          <span className={`${styles.result} ${styles[entry.result]}`}>{RESULTS[entry.result]}</span>
          <Sentences entry={entry} />
        </li>
      ))}
    </ol>
  );
}

function Sentences({ entry: { check, result, reasons } }: { readonly entry: Entry }): ReactNode {
  if (result === "pass") return <span className={styles.told}>{PASSED[check]}</span>;
  if (result === "skipped") return <span className={styles.told}>{SKIPPED}</span>;
  return (
    <span>
      {keyed(reasons, ({ message }) => message).map(({ key, item }) => (
        <span key={key} className={styles.reason}>
          <Sentence>{item.message}</Sentence>
        </span>
      ))}
    </span>
  );
}
