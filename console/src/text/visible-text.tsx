/**
 * Text from a model, a tool or an upstream. THREAT: its author may want it to be misread, so control, bidirectional
 * and zero-width characters are shown by their code, and each text is isolated from the direction around it.
 */
import { Fragment, type ReactNode } from "react";
import { INVISIBLE } from "../../../src/json/visible-json.ts";
import { directionOf, inRuns } from "./direction.tsx";
import styles from "./visible-text.module.css";

interface TextPart {
  /** Its position in the whole text. */
  readonly at: number;
  readonly text: string;
  /** Whether the text is the code of an invisible character, such as `U+202E`. */
  readonly isCode: boolean;
}

/** Characters that stay where lines are kept. */
const KEPT: ReadonlySet<string> = new Set(["\n"]);

/** The same, and spaces at an end: two names may differ in nothing else. */
const UNSEEN = new RegExp(`${INVISIBLE.source}|^ +| +$`, "gu");
/** Longer runs of spaces are shown as a number. */
const MAX_BLANKS = 8;

interface VisibleTextOptions {
  /** Whether line feeds begin new lines. */
  readonly lines?: boolean;
  /** It is between other words, with the spaces that separate it from them. */
  readonly isPart?: boolean;
}

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

/** The code of an invisible character. */
export const codeOf = (character: string): string =>
  NAMES.get(character) ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

interface VisibleTextProps extends VisibleTextOptions {
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
