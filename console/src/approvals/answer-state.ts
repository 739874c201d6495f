/** The progress of a person's answer, and its text. */
import { toVisibleLine } from "../text/visible-line.ts";
import type { Fold } from "./folds.ts";

export type AnswerState =
  | { readonly kind: "idle" }
  | { readonly kind: "sending"; readonly answer: Verdict }
  /** No reply: whether it counted isn't known. */
  | { readonly kind: "unknown" }
  /** The gateway refused it. */
  | { readonly kind: "refused"; readonly message: string; readonly fix: string }
  /** An approval that counts, and more people must approve. */
  | { readonly kind: "counted"; readonly words: string }
  /** The approval was over before. */
  | { readonly kind: "late"; readonly words: string };

export type Verdict = "approve" | "deny";

/** The open form: a reason for an answer, similar calls to approve in advance, or similar pending calls. */
export type Asking = Verdict | "standing" | "together";

export const IDLE: AnswerState = { kind: "idle" };

/** For a late answer, by whether a person had answered before. */
export const lateWords = (answeredBy: string | null): string =>
  answeredBy === null
    ? "It was over before your answer arrived, so that doesn't count."
    : "Somebody else was first: it was decided before your answer arrived.";

/** For a call that several people must approve; empty if one is enough. */
export const peopleWords = (approvers: number, by: readonly string[]): string =>
  approvers < 2
    ? ""
    : `${approvers} people must say yes; ${by.length === 0 ? "nobody has yet" : `${by.join(", ")} ${by.length === 1 ? "has" : "have"}`}.`;

const UNKNOWN = "The connection broke off, so nothing is known of whether your answer counted.";

export const NOT_COUNTED: AnswerState = {
  kind: "refused",
  message: "Your answer didn't count: the call still waits.",
  fix: "Answer it again.",
};

/** The text; empty if there is none. */
export function answerWords(state: AnswerState): string {
  if (state.kind === "late" || state.kind === "counted") return state.words;
  if (state.kind === "unknown") return UNKNOWN;
  return state.kind === "refused" ? `${state.message} ${state.fix}` : "";
}

const DONE = { approve: "approved", deny: "denied" } as const;

/** How many of several calls were answered together, from the results. */
export function togetherWords(
  verdict: Verdict,
  count: number,
  replies: readonly ("answered" | "counted" | "over" | "unknown" | "refused")[],
): string {
  const answered = replies.filter((kind) => kind === "answered").length;
  const over = replies.filter((kind) => kind === "over").length;
  const left = count - answered - over;
  return [
    `${answered} of ${count} calls ${DONE[verdict]}.`,
    over > 0 ? `${over} ${over === 1 ? "was" : "were"} over before.` : "",
    left > 0 ? `${left} ${left === 1 ? "waits" : "wait"} still.` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Why an approval can't be answered now, in words. */
interface Situation {
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
