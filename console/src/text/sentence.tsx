/** A sentence of the gateway: names are in backticks. Hostile names in it stay text. */
import type { ReactNode } from "react";
import { VisibleText } from "./visible-text.tsx";

interface SentencePart {
  /** Its position in the sentence. */
  readonly at: number;
  readonly text: string;
  readonly isName: boolean;
}

/** A sentence in parts: words, and names without their backticks. A single backtick stands for itself. */
export function toSentenceParts(sentence: string): readonly SentencePart[] {
  const parts: SentencePart[] = [];
  let from = 0;
  for (const found of sentence.matchAll(/`([^`]+)`/g)) {
    if (found.index > from) parts.push({ at: from, text: sentence.slice(from, found.index), isName: false });
    parts.push({ at: found.index, text: found[1] ?? "", isName: true });
    from = found.index + found[0].length;
  }
  if (from < sentence.length) parts.push({ at: from, text: sentence.slice(from), isName: false });
  return parts;
}

export function Sentence({ children }: { readonly children: string }): ReactNode {
  return toSentenceParts(children).map(({ at, text, isName }) =>
    isName ? (
      <code key={at}>
        <VisibleText>{text}</VisibleText>
      </code>
    ) : (
      <VisibleText key={at} isPart>
        {text}
      </VisibleText>
    ),
  );
}
