/** "Yes, and calls like this": turns a person's request into a standing approval. */
import {
  type ArgumentRule,
  explainStanding,
  isWaivable,
  type Label,
  type LabelDeclaration,
  type Policy,
  parseLabel,
  quoteName,
  ruleProblem,
  type SessionState,
  type StandingApproval,
  type StandingScope,
} from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { toTimestamp } from "../ports/clock.ts";
import type { ApprovalDetails } from "./kept-approvals.ts";
import { declarationOf } from "./standing-approvals.ts";

/** Which calls run without further approval. */
export interface StandingRequest {
  /** By top-level argument; an argument without a rule must have the value of the approved call. */
  readonly arguments?: Readonly<Record<string, ArgumentRule>>;
  readonly for?: StandingScope;
  /** Default: the session's label when it requested the approval. Missing parts are those of that label. */
  readonly ceiling?: LabelDeclaration;
  /** How long: a number with `s`, `m`, `h` or `d`, or a time (RFC 3339); 8 hours by default, 30 days at most. */
  readonly expires?: string;
  /** How many calls, 20 by default, 1,000 at most. */
  readonly count?: number;
}

/** What an approval would also admit: the sentence, and the request for exactly that. */
export interface StandingOffer {
  readonly words: string;
  readonly standing: Required<StandingRequest> & { readonly ceiling: Label };
}

const DEFAULT_EXPIRES = "8h";
const MAX_EXPIRES_MS = 30 * 24 * 3_600_000;
const DEFAULT_COUNT = 20;
const MAX_COUNT = 1000;
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

interface Given {
  readonly id: string;
  readonly policy: Policy;
  readonly state: Pick<SessionState, "principal" | "role">;
  readonly details: ApprovalDetails;
  readonly by: string;
  readonly now: Date;
}

/**
 * The standing approval that was requested. @throws SluicegateError `standing-refused` for what can't be approved in
 * advance, and for an invalid rule.
 */
export function toStanding(
  { arguments: rules = {}, for: scope = "session", ceiling, expires, count = DEFAULT_COUNT }: StandingRequest,
  { id, policy, state, details, by, now }: Given,
): StandingApproval {
  const { tool: toolId, arguments: given, causes = [], session, definition = null, targets } = details;
  const problem = waiverProblem(details);
  if (problem !== null) throw standingRefused(problem);
  const tool = policy.tools.get(toolId);
  if (tool === undefined)
    throw standingRefused("The policy has no such tool any more, or it is a method of a server.");
  assertRules(rules, given);
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT)
    throw standingRefused(`It may be for 1 to ${MAX_COUNT} calls.`);
  if (scope === "role" && state.role === null) throw standingRefused("The session has no role.");
  const label =
    ceiling === undefined ? details.label : parseLabel(policy.lattice, { ...details.label, ...ceiling });
  return {
    id,
    tool: toolId,
    declaration: declarationOf(tool),
    definition,
    rules,
    given,
    ...(targets.length > 0 && { targets }),
    scope,
    session,
    principal: state.principal,
    role: state.role,
    causes,
    ceiling: label,
    at: toTimestamp(now),
    expires: toExpires(expires ?? DEFAULT_EXPIRES, now),
    count,
    by,
  };
}

/** Like `toStanding`, as a proposal: changes nothing. */
export function toOffer(request: StandingRequest, given: Omit<Given, "id" | "by">): StandingOffer {
  const approval = toStanding(request, { ...given, id: "", by: "" });
  const { rules, scope, ceiling, expires, count } = approval;
  return {
    words: explainStanding(approval),
    standing: { arguments: rules, for: scope, ceiling, expires, count },
  };
}

/**
 * Why such calls can't be approved in advance; null if they can. THREAT: for a path, a credential or an unclassified
 * tool, one call says little about the next.
 */
export function waiverProblem({
  causes = [],
  isCredential,
  plan,
  approvers = 1,
}: ApprovalDetails): string | null {
  if (plan !== undefined) return "It is for a plan, and a yes to that is for its calls.";
  if (approvers > 1) return `It takes the yes of ${approvers} people, each time.`;
  if (isCredential) return "It has a credential, and each use of one needs a look of its own.";
  const other = causes.find((cause) => !isWaivable(cause));
  if (causes.length > 0 && other === undefined) return null;
  const why = "It was asked about for a reason that each call needs a look of its own for";
  return `${why}: ${quoteName(other ?? "unknown")}.`;
}

function assertRules(
  rules: NonNullable<StandingRequest["arguments"]>,
  given: ApprovalDetails["arguments"],
): void {
  const known = new Map(Object.entries(given));
  for (const [name, rule] of Object.entries(rules)) {
    if (!known.has(name) && "anything" in rule) continue;
    const problem = ruleProblem(rule, known.get(name));
    if (problem !== null) throw standingRefused(`The rule for ${quoteName(name)} can't be used. ${problem}`);
  }
}

function toExpires(text: string, now: Date): string {
  const [, number, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const end = isTime ? Date.parse(text) : now.getTime() + Number(number) * (UNIT_MS.get(unit) ?? Number.NaN);
  const milliseconds = end - now.getTime();
  if (!(milliseconds > 0 && milliseconds <= MAX_EXPIRES_MS))
    throw standingRefused("It expires after 30 days at most: give a time such as `8h`, or one in RFC 3339.");
  return toTimestamp(new Date(end));
}

export const standingRefused = (why: string): SluicegateError =>
  new SluicegateError("standing-refused", "Calls like this can't be approved in advance.", {
    why,
    fix: "Change what the standing approval says, or approve this one call; it still waits.",
  });
