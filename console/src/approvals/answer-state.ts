/** Where a person's answer is on its way, and how that is told. */

export type AnswerState =
  | { readonly kind: "idle" }
  | { readonly kind: "sending"; readonly answer: Verdict }
  /** It got no reply: whether it counted isn't known. */
  | { readonly kind: "unknown" }
  /** The gateway took it for none. */
  | { readonly kind: "refused"; readonly message: string; readonly fix: string }
  /** A yes that counts, and others must say yes as well. */
  | { readonly kind: "counted"; readonly words: string }
  /** It was over before. */
  | { readonly kind: "late"; readonly words: string };

export type Verdict = "approve" | "deny";

/** What a person is about to say more of: a reason for an answer, which such calls are approved too, or those that wait. */
export type Asking = Verdict | "standing" | "together";

export const IDLE: AnswerState = { kind: "idle" };

/** For an answer that came too late, by whether a person had answered before. */
export const lateWords = (answeredBy: string | null): string =>
  answeredBy === null
    ? "It was over before your answer arrived, so that doesn't count."
    : "Somebody else was first: it was decided before your answer arrived.";

/** Of a call that several people must say yes to; empty where one is enough. */
export const peopleWords = (approvers: number, by: readonly string[]): string =>
  approvers < 2
    ? ""
    : `${approvers} people must say yes; ${by.length === 0 ? "nobody has yet" : `${by.join(", ")} ${by.length === 1 ? "has" : "have"}`}.`;

export const UNKNOWN = "The connection broke off, so nothing is known of whether your answer counted.";

export const NOT_COUNTED: AnswerState = {
  kind: "refused",
  message: "Your answer didn't count: the call still waits.",
  fix: "Answer it again.",
};

/** What is said of it; empty where there is nothing to say. */
export function answerWords(state: AnswerState): string {
  if (state.kind === "late" || state.kind === "counted") return state.words;
  if (state.kind === "unknown") return UNKNOWN;
  return state.kind === "refused" ? `${state.message} ${state.fix}` : "";
}

const DONE = { approve: "approved", deny: "denied" } as const;

/** How many of several calls were answered together, by what became of each answer that was sent. */
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
