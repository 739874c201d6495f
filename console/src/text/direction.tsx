/**
 * The text direction of hostile text. THREAT: a browser orders digits and Latin letters by the letters around them,
 * so that `3 אבג 5` shows the numbers in another order. Here each right-to-left run is isolated, and all runs are in
 * the order in which they were written.
 */
import type { ReactNode } from "react";
import { RIGHT_TO_LEFT } from "../../../src/json/visible-json.ts";

interface TextRun {
  /** Its position in the whole text. */
  readonly at: number;
  readonly text: string;
  /** It is read from right to left. */
  readonly isTurned: boolean;
}

const TURNED = new RegExp(`[${RIGHT_TO_LEFT}]`, "u");
/** Letters of such a script, with spaces and punctuation between them. */
const RUN = new RegExp(`[${RIGHT_TO_LEFT}]+(?:[\\s\\p{P}]{1,8}[${RIGHT_TO_LEFT}]+)*`, "gu");
/** Characters with their own direction: letters of other scripts, and digits. */
const FIXED = new RegExp(`(?![${RIGHT_TO_LEFT}])[\\p{L}\\p{N}]`, "u");

/** The direction of a whole text. */
export const directionOf = (text: string): "rtl" | "ltr" =>
  TURNED.test(text) && !FIXED.test(text) ? "rtl" : "ltr";

/** A text in runs of one direction. */
export function toRuns(text: string): readonly TextRun[] {
  if (!TURNED.test(text)) return [{ at: 0, text, isTurned: false }];
  const runs: TextRun[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (index > from) runs.push({ at: from, text: text.slice(from, index), isTurned: false });
    runs.push({ at: index, text: run, isTurned: true });
    from = index + run.length;
  }
  if (from < text.length) runs.push({ at: from, text: text.slice(from), isTurned: false });
  return runs;
}

/** A text whose runs can't change each other's positions. */
export const inRuns = (text: string): ReactNode =>
  toRuns(text).map(({ at, text: run, isTurned }) =>
    isTurned ? (
      <bdi key={at} dir="rtl">
        {run}
      </bdi>
    ) : (
      run
    ),
  );
