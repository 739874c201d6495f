/** A text before and after a change. A server wrote both. */
import type { ReactNode } from "react";
import controls from "../styles/controls.module.css";
import { VisibleText } from "../text/visible-text.tsx";
import { splitChange } from "./split-change.ts";
import styles from "./text-change.module.css";

export interface TextChangeProps {
  /** Null if there was none. */
  readonly before: string | null;
  readonly after: string | null;
}

export function TextChange({ before, after }: TextChangeProps): ReactNode {
  const { head, tail, ...changed } = splitChange(before ?? "", after ?? "");
  return (
    <div className={styles.change}>
      {before !== null && (
        <p className={styles.removed}>
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
        <p className={styles.added}>
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
