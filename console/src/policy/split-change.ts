/** Two texts, split into their equal beginning, the difference, and their equal end. */

export interface Change {
  readonly head: string;
  readonly before: string;
  readonly after: string;
  readonly tail: string;
}

/** By whole characters, so that none is cut in two. */
export function splitChange(before: string, after: string): Change {
  const [old, now] = [[...before], [...after]];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return {
    head: old.slice(0, head).join(""),
    before: old.slice(head, old.length - tail).join(""),
    after: now.slice(head, now.length - tail).join(""),
    tail: old.slice(old.length - tail).join(""),
  };
}
