/** The part of a text that a change touches: a small change of a long text is compared, and shown, by itself. */

export interface ChangedPart {
  readonly old: string;
  readonly text: string;
  /** Lines before it that both have. */
  readonly linesBefore: number;
}

/** Both texts without the whole lines that they begin and end with alike, but for `context` lines on either side. */
export function changedPart(old: string, text: string, context: number): ChangedPart {
  const most = Math.min(old.length, text.length);
  let alike = 0;
  while (alike < most && old.charCodeAt(alike) === text.charCodeAt(alike)) alike += 1;
  const start = backByLines(old, alike, context);
  let alikeAtEnd = 0;
  while (alikeAtEnd < most - alike && endsAlike(old, text, alikeAtEnd)) alikeAtEnd += 1;
  const end = forwardByLines(old, old.length - alikeAtEnd, context);
  return {
    old: old.slice(start, end),
    text: text.slice(start, text.length - (old.length - end)),
    linesBefore: countLines(old, start),
  };
}

const endsAlike = (old: string, text: string, at: number): boolean =>
  old.charCodeAt(old.length - 1 - at) === text.charCodeAt(text.length - 1 - at);

/** Where the line begins that is `lines` before the one at a place. */
function backByLines(text: string, place: number, lines: number): number {
  let at = place;
  for (let count = 0; count <= lines; count += 1) {
    if (at === 0) return 0;
    at = text.lastIndexOf("\n", at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

/** Where the line ends that is `lines` after the one at a place. */
function forwardByLines(text: string, place: number, lines: number): number {
  let at = place;
  for (let count = 0; count <= lines; count += 1) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
