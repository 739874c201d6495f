/**
 * When a person must say yes, and what a person has said: the reference for `src/core/decision/rule-reasons.ts` and
 * `src/core/decision/approval.ts`, to be checked by eye. Answers are looked for in the history each time.
 */
import type * as core from "../src/core/index.ts";

/** What a call is asked about: nothing of it is known of a plan that doesn't say its arguments. */
export interface Asking {
  readonly says: "always" | "never" | core.ApprovalCondition;
  readonly classified: boolean;
  readonly arguments: core.Call["arguments"];
  readonly facts: Omit<core.ConditionFacts, "args">;
}

/** Why the declaration or the role asks for a person; null where it doesn't. */
export function causeOf(asking: Asking): core.AskCause | null {
  const { says, classified, arguments: args, facts } = asking;
  if (!classified) return "unclassified";
  if (says === "never") return null;
  if (says === "always") return "always";
  if (args === undefined) return "condition";
  try {
    const holds: unknown = says.holds({ ...facts, args });
    if (holds === false) return null;
    return holds === true ? "condition" : "condition-unclear";
  } catch {
    return "condition-unclear";
  }
}

/** Arguments that nobody has said: whoever looks at them learns nothing but that. */
const unknown = (): never => {
  throw new TypeError("not known");
};
const UNKNOWN: Readonly<Record<string, unknown>> = new Proxy(
  {},
  { get: unknown, has: unknown, ownKeys: unknown },
);

/** Whether a rule concerns a call: it holds, or can't be determined. */
export function concernsCall(
  { when }: core.RuleDeclaration,
  { arguments: args = UNKNOWN, facts }: Pick<Asking, "arguments" | "facts">,
): boolean {
  try {
    const holds: unknown = when.holds({ ...facts, args });
    return holds !== false;
  } catch {
    return true;
  }
}

const concerns = (event: core.SessionEvent, id: string): boolean =>
  (event.kind === "approval-answered" || event.kind === "approval-ended" || event.kind === "call-admitted") &&
  event.approval === id;

/**
 * What a person has said to the call with this binding. Of each approval the first answer counts that came while it
 * waited, and until it expires, its call was admitted, or it was ended; a no counts before a yes.
 */
export function saidTo(
  events: readonly core.SessionEvent[],
  asked: core.Asked,
): "approved" | "denied" | null {
  const said = events.flatMap((event, at) => {
    if (event.kind !== "approval-answered") return [];
    const [before, after] = [events.slice(0, at), events.slice(at + 1)];
    const request = before.findLast(
      (one) => one.kind === "approval-requested" && one.approval === event.approval,
    );
    if (request?.kind !== "approval-requested" || request.binding !== asked.binding) return [];
    const since = before.slice(before.indexOf(request));
    const isOver =
      request.expires <= asked.at ||
      since.some(({ kind }) => kind === "session-closed") ||
      since.some((one) => one.kind !== "call-admitted" && concerns(one, event.approval)) ||
      after.some((one) => one.kind !== "approval-answered" && concerns(one, event.approval));
    return isOver ? [] : [event.answer];
  });
  return said.includes("denied") ? "denied" : (said[0] ?? null);
}
