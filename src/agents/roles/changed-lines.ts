/** Which lines of a text differ from those of another: the stretch from the first to the last that does. */

export interface ChangedLines {
  /** The first that differs, from 1. */
  readonly from: number;
  readonly removed: number;
  readonly added: number;
}

/** The stretch of lines in which two texts differ; null where they don't. */
export function changedLines(before: string, after: string): ChangedLines | null {
  if (before === after) return null;
  const [old, now] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return { from: start + 1, removed: old.length - start - end, added: now.length - start - end };
}

/** Each with its end, so that a last line without one differs from the same with it. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
