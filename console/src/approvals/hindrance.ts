/** Why an approval can't be answered now, in words. */

import { toVisibleLine } from "../text/visible-line.ts";
import { type AnswerState, UNKNOWN } from "./answer-state.ts";
import type { Fold } from "./folds.ts";

export interface Situation {
  readonly isLost: boolean;
  readonly isGone: boolean;
  readonly state: AnswerState;
  readonly missing: readonly Pick<Fold, "name">[];
}

export interface Hindrance {
  /** Empty if nothing prevents it. */
  readonly words: string;
  /** It prevents a denial, too. */
  readonly isForAll: boolean;
}

export function hindranceOf({ isLost, isGone, state, missing }: Situation): Hindrance {
  if (state.kind === "unknown")
    return { words: `${UNKNOWN} It is asked once the connection is back.`, isForAll: true };
  if (isLost) return { words: "Connection lost: this can't be answered now.", isForAll: true };
  if (isGone)
    return { words: "It is over, or another call of its session comes first. Asking …", isForAll: true };
  const [first] = missing;
  if (first === undefined) return { words: "", isForAll: false };
  const more = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
  return {
    words: `Open ${toVisibleLine(first.name)}${more} first: a yes is for all of it.`,
    isForAll: false,
  };
}
