/** Turns of the event loop for work that takes a while: one piece in each, whoever's it is. */

const waiting: (() => void)[] = [];

/** Does a piece of work in a turn that no other long piece has: many at once would hold up everybody else. */
export function inOwnTurn(work: () => void): void {
  waiting.push(work);
  if (waiting.length === 1) setImmediate(workOnFirst);
}

function workOnFirst(): void {
  try {
    waiting[0]?.();
  } finally {
    waiting.shift();
    if (waiting.length > 0) setImmediate(workOnFirst);
  }
}

/** Resolves in such a turn. */
export const ownTurn = (): Promise<void> => new Promise((resolve) => inOwnTurn(resolve));
