/**
 * The sentences of reasons: the only place where refusals are worded. Deterministic; contains names and labels, never
 * an argument or a result. A model reads this, so names from outside are quoted and truncated.
 */

import { flowsTo, isUntrusted, type Label, type Lattice } from "../label/label.ts";
import { explainAsking } from "./explain-approval.ts";
import { listNames, MAX_NAME_LENGTH, MAX_WRITTEN, quoteName } from "./quote-name.ts";
import type { Cause, FreezeScope, NotEndorsed, Reason, RuleApplies } from "./reason.ts";
import type { RefusalClass } from "./refusal-class.ts";

/** A label as an adjective of data, as in "loaded …". `more`: the number of omitted categories. */
export function describeLabel(label: Label, more = 0): string {
  if (label.level === "*") return "data that nobody has classified";
  const count = label.categories.length + more;
  const categories = count > 0 ? ` of ${listNames(label.categories, "and", count)}` : "";
  return `${label.level} data${categories} (${label.trust})`;
}

/** What may be sent if any one of these clearances is enough. */
export function describeClearances(lattice: Lattice, clearances: readonly Label[]): string {
  if (clearances.length === 0) return "nothing";
  const described = clearances
    .slice(0, MAX_WRITTEN)
    .map((clearance) => describeClearance(lattice, clearance));
  const more = clearances.length - described.length;
  return (more > 0 ? [...described, `as ${more} more clearances say`] : described).join(", or ");
}

function describeClearance(lattice: Lattice, clearance: Label): string {
  const trust = clearance.trust === lattice.trust[0] ? "" : `${clearance.trust} `;
  const categories = clearance.categories.length > 0 ? ` of ${listNames(clearance.categories)}` : "";
  return `${trust}${clearance.level} data${categories} at most`;
}

/** The part of a label that the clearance doesn't cover: level, categories, trust, or all of them if unknown. */
export function describeOffence(
  lattice: Lattice,
  { label, moreCategories = 0 }: Pick<Cause, "label" | "moreCategories">,
  clearances: readonly Label[],
): string {
  const [clearance] = clearances;
  if (label.level === "*" || clearance === undefined || clearances.length > 1)
    return describeLabel(label, moreCategories);
  const parts: string[] = [];
  const level = { ...label, categories: [], trust: lattice.trust.at(-1) ?? "" };
  if (!flowsTo(lattice, level, clearance)) parts.push(`${label.level} data`);
  const foreign = label.categories.filter((category) => !clearance.categories.includes(category));
  if (foreign.length > 0) parts.push(`data of ${listNames(foreign, "and", foreign.length + moreCategories)}`);
  const trust = { ...label, level: lattice.levels[0] ?? "", categories: [] };
  if (isUntrusted(lattice, label) && !flowsTo(lattice, trust, clearance))
    parts.push(`${label.trust} content`);
  return parts.length > 0 ? parts.join(" and ") : describeLabel(label, moreCategories);
}

export type FlowBlocked = Extract<Reason, { code: "flow-blocked" }>;

/** A blocked flow and its causes. */
export type Blocked = Pick<FlowBlocked, "label" | "moreCategories" | "clearances" | "causes" | "moreCauses">;

function describeCause(lattice: Lattice, cause: Cause, reason: Blocked): string {
  const reported = cause.reported ? ", which the agent reported," : "";
  const by =
    cause.tool === null ? `The data set ${quoteName(cause.dataset)}${reported}` : quoteName(cause.tool);
  const verb = cause.tool === null ? "brought in" : "loaded";
  const call = cause.tool === null || cause.step === null ? "" : ` (call ${cause.step + 1})`;
  return `${by}${call} ${verb} ${describeOffence(lattice, cause, reason.clearances)}`;
}

/** The calls or data sets that caused the block. */
export function describeCauses(lattice: Lattice, reason: Blocked): string {
  const causes = reason.causes.map((cause) => describeCause(lattice, cause, reason));
  if (reason.moreCauses !== undefined) causes.push(`and ${reason.moreCauses} more`);
  if (causes.length > 0) return causes.join("; ");
  return `The session holds ${describeLabel(reason.label, reason.moreCategories)}`;
}

function explainFlow(lattice: Lattice, reason: FlowBlocked): string {
  const tool = quoteName(reason.tool);
  const why = describeCauses(lattice, reason);
  const limit = `${tool} may receive ${describeClearances(lattice, reason.clearances)}`;
  const earlier = [...new Set(reason.causes.flatMap(({ tool: by }) => by ?? []))].filter(
    (by) => by !== reason.tool,
  );
  const ways = [
    ...(reason.byArguments ? ["Name a recipient that may have it"] : []),
    ...(earlier.length > 0
      ? [`${reason.byArguments ? "call" : "Call"} ${tool} before ${listNames(earlier)}`]
      : []),
  ];
  const way = ways.length > 0 ? `${ways.join(", ")}, or give` : "Give";
  const what = reason.releasable ? "may not have this session's data unasked" : "is blocked in this session";
  return `Tool ${tool} ${what}. ${why}, and ${limit}. ${way} that part of the task to a session of its own.`;
}

/** A rule's name: the operator's own words, so more than plain characters. */
const quoteRule = (name: string): string =>
  `\`${name.replaceAll(/[\p{C}\p{Zl}\p{Zp}`]/gu, "?").slice(0, MAX_NAME_LENGTH)}\``;

function explainDenyingRule({ tool: name, rule, result }: RuleApplies): string {
  const tool = `Tool ${quoteName(name)} is not allowed`;
  const named = `the rule ${quoteRule(rule)} of the operator's policy`;
  switch (result) {
    case "holds":
      return `${tool}. Such a call is denied by ${named}. Change the call, or ask the operator.`;
    case "unclear":
      return `${tool}. It can't be determined from these arguments whether ${named} denies the call. Give each argument with its type, or ask the operator.`;
    case "unknown":
      return `${tool} with arguments that ${named} denies. Plan it with its arguments to know.`;
  }
}

function explainAskingRule({ tool: name, rule, result }: RuleApplies): string {
  const tool = `Tool ${quoteName(name)} may not run unasked`;
  const named = `the rule ${quoteRule(rule)} of the operator's policy`;
  switch (result) {
    case "holds":
      return `${tool}. Such a call needs a person's approval by ${named}.`;
    case "unclear":
      return `${tool}. It can't be determined from these arguments whether ${named} asks for a person's approval.`;
    case "unknown":
      return `${tool} with arguments for which ${named} asks. Plan it with its arguments to know.`;
  }
}

/** Tells the approver why a call isn't covered by the user's word, with the value, which the agent doesn't see. */
export function explainToApprover(reason: NotEndorsed, value: string): string {
  const { problem, argument, firstSeen } = reason;
  if (argument === null || problem === "credential" || value === "") return explainNotEndorsed(reason);
  const named = `${quoteName(value)}${problem === "link" ? ", a link," : ""} in ${quoteArgument(argument)}`;
  if (firstSeen === null) return `${named} isn't in the user's words.`;
  return `${named}${describeOrigin(firstSeen)}, not in the user's words.`;
}

/** Where a value came from: the result that first had it. */
const describeOrigin = (firstSeen: NotEndorsed["firstSeen"]): string =>
  firstSeen === null
    ? ""
    : ` first appeared in the result of ${quoteName(firstSeen.tool)} (call ${firstSeen.step + 1}, ${firstSeen.trust})`;

/** The items of a list are named by the list. */
const quoteArgument = (path: string): string => quoteName(path.replaceAll("[]", ""));

function explainNotEndorsed({ tool: name, problem, argument, firstSeen }: NotEndorsed): string {
  const tool = `Tool ${quoteName(name)} may not run unasked`;
  const named = quoteArgument(argument ?? "");
  const origin = firstSeen === null ? "" : `; it${describeOrigin(firstSeen)}`;
  switch (problem) {
    case "not-said":
      return `${tool}. Untrusted content is in this session, and the value of ${named} isn't in the user's words${origin}. Use what the user named, or ask the user.`;
    case "link":
      return `${tool}. Untrusted content is in this session, and ${named} holds a link that the user didn't give${origin}. Leave the link out, or ask the user.`;
    case "credential":
      return `${tool}. ${named} is a credential, and a person decides on each change of one.`;
    case "none-given":
      return `${tool}. Untrusted content is in this session, and the call names nothing that the user could have named. Name whom or what it is for, or ask the user.`;
    case "unknown":
      return `${tool} if untrusted content is in this session and its arguments aren't the user's words. Plan it with its arguments to know.`;
  }
}

const FROZEN: Readonly<Record<FreezeScope, string>> = Object.freeze({
  everything: "all calls of all sessions",
  principal: "all calls of this principal's sessions",
  session: "all calls of this session",
  server: "all calls of its server",
  tool: "all its calls",
});

/**
 * The sentence for a reason: what happened, why, and how to continue. `denied`: another reason denies the call, so no
 * approval was requested.
 */
export function explain(lattice: Lattice, reason: Reason, denied = false): string {
  switch (reason.code) {
    case "frozen":
      return `Tool ${quoteName(reason.tool)} is refused. An operator has frozen ${FROZEN[reason.scope]}. Continue when it is unfrozen, or ask the operator.`;
    case "session-closed":
      return "This session is closed. An operator reset or ended it. Go on in a new session.";
    case "unknown-tool":
    case "hidden":
      return `There is no tool ${quoteName(reason.tool)} in this session. Use a tool of the session's manifest.`;
    case "ambiguous-tool":
      return `The name ${quoteName(reason.tool)} means more than one tool. Use ${listNames(reason.candidates, "or")}.`;
    case "unclassified-tool":
      return `Tool ${quoteName(reason.tool)} is withheld. Nobody has said yet what it reads and where it sends data. Ask the operator to classify it in the policy.`;
    case "definition-changed":
      return `Tool ${quoteName(reason.tool)} is withheld. Its server has changed its definition since it was accepted, and nobody has reviewed the change yet. Use another tool, or ask the operator to review it.`;
    case "denied-by-policy":
      return `Tool ${quoteName(reason.tool)} is not allowed. The operator's policy denies it. Use another tool, or ask the operator.`;
    case "missing-tag":
      return `Tool ${quoteName(reason.tool)} is not allowed. It lacks a tag that the operator's policy requires. Use another tool, or ask the operator.`;
    case "not-in-tool-set":
      return `Tool ${quoteName(reason.tool)} is not allowed. The role ${quoteName(reason.role)} doesn't have it. Use another tool, or a role that has it.`;
    case "permission-missing":
      return `Tool ${quoteName(reason.tool)} is not allowed. It needs ${listNames(reason.missing)}, and not all of that is granted. Use another tool, or ask the operator for what is missing.`;
    case "flow-blocked":
      return explainFlow(lattice, reason);
    case "denied-by-rule":
      return explainDenyingRule(reason);
    case "rule-asks":
      return explainAskingRule(reason);
    case "not-endorsed":
      return explainNotEndorsed(reason);
    case "approval-required":
      return denied
        ? `Tool ${quoteName(reason.tool)} would also wait for a person.`
        : `Tool ${quoteName(reason.tool)} waits for a person. ${explainAsking(reason.because)}`;
    case "protected-path":
      return `Tool ${quoteName(reason.tool)} is refused. The path is kept from this session, and nobody can approve it. Use another path.`;
    case "approval-denied":
      return `Tool ${quoteName(reason.tool)} is refused. A person was asked about this very call and said no. Go on without it, or say that the task can't be done.`;
    case "approval-expired":
      return `Tool ${quoteName(reason.tool)} is refused. Its approval is over: no person answered in time, or you gave up. Call it again to ask once more, or go on without it.`;
    case "unknown-argument": {
      const meant = reason.near === null ? "" : `; did you mean ${quoteName(reason.near)}`;
      const end = reason.near === null ? "." : "?";
      return `Tool ${quoteName(reason.tool)} is refused. Its schema has no argument ${quoteName(reason.argument)}${meant}${end} Call it again with arguments of its schema alone.`;
    }
    case "sign-in-needed": {
      const page = reason.link === null ? "" : ` at ${reason.link}, or`;
      return `Tool ${quoteName(reason.tool)} is refused. Whoever this session works for has not signed in to the server ${quoteName(reason.server)}. Ask the user to sign in${page} with \`sluicegate sign-in\`, and call it again.`;
    }
    case "fault":
      return `Tool ${quoteName(reason.tool)} is refused. A check that it needs could not be made. Try again, and tell the operator if it happens again.`;
  }
}

const CLASS_WORDS: Readonly<Record<RefusalClass, string>> = Object.freeze({
  retry: "It may run after a change, or later.",
  person: "It needs a person.",
  never: "It doesn't run in this session.",
});

/** What an agent can still do after a refusal, for texts without structured data. */
export const explainClass = (refusal: RefusalClass): string => CLASS_WORDS[refusal];
