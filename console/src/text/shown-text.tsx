/** Hostile text of several lines, with its blanks and its ends shown. */
import { Fragment, type ReactNode } from "react";
import { inRuns } from "./direction.tsx";
import { type ShownPart, toShownParts } from "./shown-parts.ts";
import styles from "./shown-text.module.css";

/** Marks by themselves are elements; of more than this many, they are words in the text. */
const MAX_MARKS = 300;

const CLASS = { text: undefined, blanks: styles.blanks, code: styles.code } as const;

/** A piece of text, as it stands in a block that keeps white space. */
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
