/**
 * Proposes a standing approval after a person has approved the same kind of call three times. The last approved calls
 * of a session are stored beside its journal, few and short. What they have in common is computed when the next such
 * call is shown.
 */
import { commonRules, type Policy } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import { parseJson } from "../../json/parse-json.ts";
import { sealHash } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import { toTimestamp } from "../ports/clock.ts";
import type { Keep, Store } from "../ports/store.ts";
import type { Answer } from "./answer-approval.ts";
import { type StandingOffer, toOffer, waiverProblem } from "./give-standing.ts";
import { type ApprovalDetails, readDetails } from "./kept-approvals.ts";
import { declarationOf } from "./standing-approvals.ts";

/** The key of a session's last approved calls, beside its journal. */
export const APPROVED_KEY = "approved-calls";

/** Approvals before a standing one is proposed. */
const TIMES = 3;
const MAX_KEPT = 30;
/** Characters of the arguments of one stored call. */
const MAX_LENGTH = 4000;
const MINUTE_MS = 60_000;
/** The expiry is rounded to minutes, so that the sentence doesn't change with each request. */
const EXPIRES_MS = 8 * 60 * MINUTE_MS;
const MAX_AGE_MS = 24 * 3_600_000;

interface ApprovedCall {
  readonly kind: string;
  readonly arguments: ApprovalDetails["arguments"];
  readonly at: string;
}

/** The last approved calls of a session, oldest first. */
export async function readApproved(store: Store, session: string): Promise<readonly ApprovedCall[]> {
  const text = await store.kept(session, APPROVED_KEY);
  return text === null ? [] : parseJson(text);
}

function recent(calls: readonly ApprovedCall[], now: Date): readonly ApprovedCall[] {
  const since = toTimestamp(new Date(now.getTime() - MAX_AGE_MS));
  return calls.filter(({ at }) => at > since);
}

/**
 * A key for similar calls: tool, causes, and names of the arguments. Null if no standing approval can cover the call.
 */
function kindOf(policy: Policy, details: ApprovalDetails): string | null {
  const { tool: id, causes = [], definition = null, arguments: args } = details;
  const tool = policy.tools.get(id);
  if (tool === undefined || waiverProblem(details) !== null) return null;
  return sealHash(canonicalJson([id, declarationOf(tool), definition, causes, Object.keys(args).sort()]));
}

/** Stores an approved call; after a denial, removes those similar to it. */
export function keepAnswered(
  policy: Policy,
  known: readonly ApprovedCall[],
  details: ApprovalDetails,
  { answer, via, arguments: edited }: Answer,
  now: Date,
): readonly Keep[] {
  const kind = kindOf(policy, details);
  // THREAT: a client may approve without asking its user.
  if (kind === null || (answer === "approved" && via === "client")) return [];
  const { arguments: args } = details;
  const isKept = answer === "approved" && edited === undefined && canonicalJson(args).length <= MAX_LENGTH;
  const kept = recent(known, now);
  const others = answer === "denied" ? kept.filter((one) => one.kind !== kind) : kept;
  const own = isKept ? [{ kind, arguments: args, at: toTimestamp(now) }] : [];
  const calls = [...others, ...own].slice(-MAX_KEPT);
  if (own.length === 0 && calls.length === known.length) return [];
  return [{ key: APPROVED_KEY, value: calls.length === 0 ? null : JSON.stringify(calls) }];
}

interface Dependencies {
  readonly store: Store;
  readonly policy: () => Policy;
  readonly ledgerOf: (session: string) => Ledger;
}

/**
 * The standing approval to propose with a pending call; null if fewer than three similar calls were approved, or if
 * it differs from what they have in common. `isCut`: some of its arguments are truncated.
 */
export async function proposeStanding(
  { store, policy, ledgerOf }: Dependencies,
  shown: ApprovalDetails,
  now: Date,
  isCut: boolean,
): Promise<StandingOffer | null> {
  const kind = kindOf(policy(), shown);
  if (kind === null) return null;
  const approved = recent(await readApproved(store, shown.session), now);
  const like = approved.filter((one) => one.kind === kind).slice(-TIMES);
  if (like.length < TIMES) return null;
  const text = isCut ? await readDetails(store, shown) : null;
  if (isCut && text === null) return null;
  const details: ApprovalDetails = text === null ? shown : parseJson(text);
  const ledger = ledgerOf(shown.session);
  await ledger.refresh();
  const rules = commonRules(like.map((one) => one.arguments));
  try {
    const expires = toTimestamp(new Date(Math.floor((now.getTime() + EXPIRES_MS) / MINUTE_MS) * MINUTE_MS));
    return toOffer({ arguments: rules, expires }, { policy: policy(), state: ledger.state, details, now });
  } catch (cause) {
    if (SluicegateError.isInstance(cause) && cause.code === "standing-refused") return null;
    throw cause;
  }
}
