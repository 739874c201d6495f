/**
 * Endorsement: once untrusted content is in the session, a call with an effect runs without approval only if its
 * critical arguments are the user's word. So what the user asked for runs, and what a mail asked for doesn't.
 */

import {
  type DecisionContext,
  type Facts,
  isHidden,
  toDecisionContext,
} from "../decision/decision-context.ts";
import { NO_REASONS, type NotEndorsed, type Reason } from "../decision/reason.ts";
import { isUntrusted } from "../label/label.ts";
import type { Policy } from "../policy/policy.ts";
import type { SessionState } from "../state/state.ts";
import type { Tool } from "../tools/tool.ts";
import {
  type EndorsementRules,
  isAmong,
  isCritical,
  isMember,
  needsEndorsement,
} from "./endorsement-rules.ts";
import { isSaid, saidAmong } from "./said-values.ts";
import {
  type Endorsed,
  type Evidence,
  type EvidenceKind,
  evidenceFor,
  firstAppearance,
  type GivenValue,
  type Words,
} from "./user-word.ts";

export interface Endorsement {
  /** Why the call needs approval; empty if it doesn't. */
  readonly reasons: readonly Reason[];
  /** What endorsed its critical arguments, if endorsement was needed. */
  readonly endorsed: readonly Endorsed[];
}

const NOT_ASKED: Endorsement = Object.freeze({ reasons: NO_REASONS, endorsed: Object.freeze([]) });

/** Arguments named in one decision. */
const MAX_NAMED = 8;

/** Whether the user's word covers a call. */
export function endorse(context: DecisionContext, tool: Tool): Endorsement {
  const { policy, state, facts } = context;
  if (!needsEndorsement(policy.endorsement, tool)) return NOT_ASKED;
  const values = facts.values;
  const credentials = (values ?? []).filter(({ path }) => isCredential(path));
  if (!isUntrusted(state.lattice, state.label)) {
    if (credentials.length === 0) return NOT_ASKED;
    return { reasons: toReasons(context, tool, "credential", credentials), endorsed: [] };
  }
  if (values === undefined) return { reasons: [noValue(tool, "unknown")], endorsed: [] };
  const critical = values.filter(({ path }) => isCritical(tool, path));
  const payload = values.filter(({ path }) => !isCritical(tool, path));
  const word = critical.map((value) => ({ value, by: userWordFor(context, tool, value) }));
  const unsaid = word.flatMap(({ value, by }) => (by === null ? [value] : []));
  const reasons = [
    ...(critical.length === 0 ? [noValue(tool, "none-given")] : []),
    ...toReasons(context, tool, "credential", credentials),
    ...toReasons(context, tool, "not-said", unsaid),
    ...toReasons(
      context,
      tool,
      "link",
      payload.filter((value) => hasForeignLink(context, value)),
    ),
  ];
  const endorsed = word.flatMap(({ value, by }) => (by === null ? [] : [{ argument: value.path, by }]));
  return { reasons: reasons.slice(0, MAX_NAMED), endorsed: endorsed.slice(0, MAX_NAMED) };
}

/** Why a value counts as the user's word for a call of this tool; null if it doesn't. */
export function userWordFor(
  { policy, state, facts }: DecisionContext,
  tool: Tool,
  value: GivenValue,
): Endorsed["by"] | null {
  if (value.isEdited) return "edited";
  if (value.isWeak !== true && saidIn(state.words, facts.values).has(value)) return "said";
  return shownBy(policy.endorsement, state.words, tool, value);
}

/** The values of a call that the user said, cached for the checks of one decision. */
const knownSaid = new WeakMap<readonly GivenValue[], { words: Words; said: ReadonlySet<GivenValue> }>();

function saidIn(words: Words, values: readonly GivenValue[] = []): ReadonlySet<GivenValue> {
  const known = knownSaid.get(values);
  if (known?.words === words) return known.said;
  const said = saidAmong(words, values);
  knownSaid.set(values, { words, said });
  return said;
}

/** The evidence for a value that the user didn't say. */
function shownBy(rules: EndorsementRules, words: Words, tool: Tool, value: GivenValue): EvidenceKind | null {
  const { evidence, groups } = rules;
  const isTo = tool.to !== null && isAmong(tool.to, value.path);
  const isShown = ({ kind, server }: Evidence): boolean => {
    if (!evidence.has(kind) || kind === "member" || server !== tool.server) return false;
    // THREAT: an agent chooses what it writes, and a server may derive an id from it. So a thing that the agent
    // created is never a recipient.
    if (kind === "own") return !isTo;
    return kind !== "resolved" || !tool.isDestructive;
  };
  const found = evidenceFor(words, value.whole).find(isShown);
  if (found) return found.kind;
  if (!(tool.to === null || isTo) || !evidence.has("member")) return null;
  return [...groups.keys()].some((group) => isMember(rules, words, group, value)) ? "member" : null;
}

/** The value of a reason, for the approver; null if it has none. */
export function valueBehind(
  policy: Policy,
  state: SessionState,
  facts: Facts,
  { tool, reason: { problem, argument } }: { readonly tool: Tool; readonly reason: NotEndorsed },
): GivenValue | null {
  const context = toDecisionContext(policy, state, facts);
  const isMeant = (value: GivenValue): boolean => {
    if (value.path !== argument) return false;
    if (problem === "link") return hasForeignLink(context, value);
    return problem !== "not-said" || userWordFor(context, tool, value) === null;
  };
  return facts.values?.find(isMeant) ?? null;
}

const hasForeignLink = (
  { state: { words } }: DecisionContext,
  { links = [], isEdited }: GivenValue,
): boolean => !isEdited && links.some((forms) => !forms.some((form) => isSaid(words, [form])));

/** THREAT: in free text a word proves nothing, and whoever sets a password has the account. */
const CREDENTIAL =
  /passw(?:or)?d|passphrase|passcode|credential|(?:^|[^a-z])(?:pwds?|pins?|otps?|secrets?|(?:api|private|access|auth|secret)[^a-z]?(?:key|token)s?)(?:[^a-z]|$)/;

const isCredential = (path: string): boolean =>
  CREDENTIAL.test(path.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase());

const noValue = ({ name: tool }: Tool, problem: NotEndorsed["problem"]): Reason => ({
  code: "not-endorsed",
  tool,
  problem,
  argument: null,
  firstSeen: null,
});

/** A reason for each argument, with the origin of its value. */
function toReasons(
  context: DecisionContext,
  tool: Tool,
  problem: NotEndorsed["problem"],
  values: readonly GivenValue[],
): readonly Reason[] {
  const byArgument = new Map(values.toReversed().map((value) => [value.path, value]));
  const named = [...byArgument].reverse().slice(0, MAX_NAMED);
  return named.map(([argument, value]) => {
    const seen = firstAppearance(context.state.words, value);
    const isTold = seen !== null && !isHidden(context, seen.tool);
    const firstSeen = isTold
      ? { step: seen.step, tool: context.policy.names.shown(seen.tool), trust: seen.trust }
      : null;
    return { code: "not-endorsed", tool: tool.name, problem, argument, firstSeen };
  });
}
