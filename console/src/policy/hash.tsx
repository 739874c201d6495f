/** A hash: its beginning, and all of it on demand. */
import { type ReactNode, useState } from "react";
import controls from "../styles/controls.module.css";
import styles from "./policy.module.css";

const SHORT = 12;

export function Hash({ hash }: { readonly hash: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const digits = hash.replace(/^sha256:/, "");
  if (hash.length <= SHORT) return <code>{hash}</code>;
  return (
    <button type="button" className={styles.hash} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
      <code>{isWhole ? hash : `${digits.slice(0, SHORT)}…`}</code>
      <span className={controls.hidden}>{isWhole ? ", shorten" : ", show the whole hash"}</span>
    </button>
  );
}
