/** Hostile text of several lines, with its spaces and ends shown. */
import { Fragment, type ReactNode } from "react";
import { inRuns } from "./direction.tsx";
import { type ShownPart, toShownParts } from "./shown-parts.ts";
import styles from "./shown-text.module.css";

/** With more marks, they are words in the text instead of elements. */
const MAX_MARKS = 300;

const CLASS = { text: undefined, blanks: styles.blanks, code: styles.code } as const;

/** A part of a text, in a block that keeps white space. */
export function ShownText({ children }: { readonly children: string }): ReactNode {
  const parts = toShownParts(children);
  if (parts.length > 2 * MAX_MARKS) return parts.map(asWord).join("");
  return parts.map(({ at, text, kind }) =>
    kind === "text" ? (
      <Fragment key={at}>{inRuns(text)}</Fragment>
    ) : (
      <span key={at} className={CLASS[kind]}>
        {text}
      </span>
    ),
  );
}

const asWord = ({ text, kind }: ShownPart): string => (kind === "code" ? `‹${text}›` : text);
