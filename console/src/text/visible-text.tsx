/**
 * Text that came from a model, a tool or an upstream. THREAT: its author may want it to read as something else, so
 * control, bidirectional and zero-width characters are shown by their code, and each text is isolated from its
 * surroundings' direction.
 */
import { Fragment, type ReactNode } from "react";
import { INVISIBLE } from "../../../src/json/visible-json.ts";
import { directionOf, inRuns } from "./direction.tsx";
import styles from "./visible-text.module.css";

export interface TextPart {
  /** Where it begins in the whole text. */
  readonly at: number;
  readonly text: string;
  /** Set where the text stands for a character that can't be seen: its code, such as `U+202E`. */
  readonly isCode: boolean;
}

/** Characters written otherwise where lines are kept. */
const KEPT: ReadonlySet<string> = new Set(["\n"]);

/** The same, and blanks at an end: of two files or two names, nothing else may tell one from the other. */
const UNSEEN = new RegExp(`${INVISIBLE.source}|^ +| +$`, "gu");
/** More blanks than this are told by their number. */
const MAX_BLANKS = 8;

export interface VisibleTextOptions {
  /** Whether line feeds begin new lines. */
  readonly lines?: boolean;
  /** It stands between other words, with the blanks that part it from them. */
  readonly isPart?: boolean;
}

/** A text in parts that can be seen. */
export function toVisibleParts(text: string, options: VisibleTextOptions = {}): readonly TextPart[] {
  const { lines = false, isPart = lines } = options;
  const parts: TextPart[] = [];
  let from = 0;
  for (const found of text.matchAll(isPart ? INVISIBLE : UNSEEN)) {
    const [unseen] = found;
    if (lines && KEPT.has(unseen)) continue;
    if (found.index > from) parts.push({ at: from, text: text.slice(from, found.index), isCode: false });
    const shown = unseen.startsWith(" ") ? blanks(unseen.length) : codeOf(unseen);
    parts.push({ at: found.index, text: shown, isCode: true });
    from = found.index + unseen.length;
  }
  if (from < text.length) parts.push({ at: from, text: text.slice(from), isCode: false });
  return parts;
}

const blanks = (count: number): string => (count > MAX_BLANKS ? `${count} blanks` : "·".repeat(count));

const NAMES: ReadonlyMap<string, string> = new Map([
  ["\n", "LF"],
  ["\r", "CR"],
  ["\t", "TAB"],
  ["\u001b", "ESC"],
]);

/** What stands for a character that can't be seen. */
export const codeOf = (character: string): string =>
  NAMES.get(character) ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

export interface VisibleTextProps extends VisibleTextOptions {
  readonly children: string;
}

/** Hostile text, as text. */
export function VisibleText({ children, lines = false, ...options }: VisibleTextProps): ReactNode {
  const parts = toVisibleParts(children, { lines, ...options });
  return (
    <bdi className={lines ? styles.lines : styles.text} dir={directionOf(children)}>
      {parts.map(({ at, text, isCode }) =>
        isCode ? (
          <mark key={at} className={styles.code} title="A character that can't be seen">
            {text}
          </mark>
        ) : (
          <Fragment key={at}>{inRuns(text)}</Fragment>
        ),
      )}
    </bdi>
  );
}
