/**
 * Text that came from a model, a tool or an upstream. THREAT: its author may want it to read as something else, so
 * control, bidirectional and zero-width characters are shown by their code, and each text is isolated from its
 * surroundings' direction.
 */
import type { ReactNode } from "react";
import { INVISIBLE } from "../../../src/session/visible-json.ts";
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

/** A text in parts that can be seen. With `lines`, line feeds stay as they are. */
export function toVisibleParts(text: string, lines = false): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const found of text.matchAll(INVISIBLE)) {
    const [character] = found;
    if (lines && KEPT.has(character)) continue;
    if (found.index > from) parts.push({ at: from, text: text.slice(from, found.index), isCode: false });
    parts.push({ at: found.index, text: codeOf(character), isCode: true });
    from = found.index + character.length;
  }
  if (from < text.length) parts.push({ at: from, text: text.slice(from), isCode: false });
  return parts;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["\n", "LF"],
  ["\r", "CR"],
  ["\t", "TAB"],
  ["\u001b", "ESC"],
]);

/** What stands for a character that can't be seen. */
export const codeOf = (character: string): string =>
  NAMES.get(character) ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

export interface VisibleTextProps {
  readonly children: string;
  /** Whether line feeds begin new lines. */
  readonly lines?: boolean;
}

/** Hostile text, as text. */
export function VisibleText({ children, lines = false }: VisibleTextProps): ReactNode {
  const parts = toVisibleParts(children, lines);
  return (
    <bdi className={lines ? styles.lines : styles.text}>
      {parts.map(({ at, text, isCode }) =>
        isCode ? (
          <mark key={at} className={styles.code} title="A character that can't be seen">
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </bdi>
  );
}
