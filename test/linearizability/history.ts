/**
 * Whether what clients saw of one session could have happened one operation after the other, each between its begin and
 * its end: linearizability (Herlihy and Wing, 1990), by the search of Wing and Gong (1993). An operation whose answer was
 * lost may have happened at any time after its begin, or not at all.
 */

/** What a client asked of a session. A payment is a call that asks, named by its amount. */
export type Asked =
  | { readonly kind: "read" }
  | { readonly kind: "send" }
  | { readonly kind: "pay"; readonly amount: number }
  /** The same yes again changes nothing: it is told apart by what it is for. A plan's is for several payments. */
  | { readonly kind: "approve"; readonly approval: string; readonly amounts: readonly number[] };

export interface Operation {
  readonly asked: Asked;
  /** What came back, `refused` with a status of 4xx; null where no answer did. */
  readonly answer: "allow" | "ask" | "deny" | "done" | "refused" | null;
  /** In milliseconds of one clock. */
  readonly begun: number;
  /** Infinity where no answer came. */
  readonly ended: number;
}

/** A session as it is specified: raised or not, which payments have a yes that no call has used, and all that was said yes to. */
interface State {
  readonly raised: boolean;
  readonly approved: readonly number[];
  readonly said: readonly string[];
}

const START: State = { raised: false, approved: [], said: [] };

/** What an operation does: the states that it may lead to with this answer; none where it can't have been answered so. */
function step(state: State, { asked, answer }: Operation): readonly State[] {
  switch (asked.kind) {
    case "read":
      return answer === "allow" || answer === null ? [{ ...state, raised: true }] : [];
    case "send":
      if (answer === null) return [state];
      return answer === (state.raised ? "deny" : "allow") ? [state] : [];
    case "pay": {
      const hasYes = state.approved.includes(asked.amount);
      const used = { ...state, approved: state.approved.filter((one) => one !== asked.amount) };
      if (answer === null) return [hasYes ? used : state];
      if (answer === "allow") return hasYes ? [used] : [];
      return answer === "ask" && !hasYes ? [state] : [];
    }
    case "approve": {
      const { approval, amounts } = asked;
      // A yes is refused only where the same one was given before.
      if (state.said.includes(approval)) return [state];
      if (answer !== "done" && answer !== null) return [];
      const approved = [...new Set([...state.approved, ...amounts])].sort((left, right) => left - right);
      return [{ ...state, approved, said: [...state.said, approval].sort() }];
    }
  }
}

/** An order in which the operations can have happened, by their places; null if there is none. */
export function findOrder(operations: readonly Operation[]): readonly number[] | null {
  const failed = new Set<string>();
  const search = (state: State, done: ReadonlySet<number>): readonly number[] | null => {
    const open = operations.map((_, at) => at).filter((at) => !done.has(at));
    if (open.every((at) => operations[at]?.answer === null)) return [];
    const key = `${[...done].sort((left, right) => left - right)}|${state.raised}|${state.approved}|${state.said}`;
    if (failed.has(key)) return null;
    // Only what began before every other open one had ended can be the next.
    const firstEnd = Math.min(...open.map((at) => operations[at]?.ended ?? 0));
    for (const at of open) {
      const operation = operations[at];
      if (operation === undefined || operation.begun > firstEnd) continue;
      for (const next of step(state, operation)) {
        const rest = search(next, new Set([...done, at]));
        if (rest !== null) return [at, ...rest];
      }
    }
    failed.add(key);
    return null;
  };
  return search(START, new Set());
}
