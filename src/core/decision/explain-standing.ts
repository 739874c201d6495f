/** Standing approvals in words, for people. */
import type { Label } from "../label/label.ts";
import { quoteName } from "./quote-name.ts";
import { type ArgumentRule, leastOf, type StandingApproval } from "./standing.ts";

const MAX_SHOWN = 200;
const MAX_LISTED = 10;

/** A value as JSON. THREAT: an agent chose it, and invisible characters could make two values look alike. */
function show(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(
    /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]--[ ]]/gv,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
}

function explainRule(rule: ArgumentRule, given: unknown): string {
  if ("anything" in rule) return "is anything";
  if ("equals" in rule) return `is ${show(rule.equals)}`;
  if ("prefix" in rule) return `is ${show(rule.prefix)} or lies in it`;
  if ("atMost" in rule) return `is a number from ${leastOf(given)} to ${rule.atMost}`;
  const more = rule.oneOf.length - MAX_LISTED;
  return `is one of ${rule.oneOf.slice(0, MAX_LISTED).map(show).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const labelWords = ({ level, categories, trust }: Label): string =>
  [level, ...categories, trust].map(quoteName).join(", ");

/** A standing approval in one sentence, for people. */
export function explainStanding(approval: StandingApproval): string {
  const { tool, rules, given, scope, session, principal, role, ceiling, expires, count } = approval;
  const before = new Map(Object.entries(given));
  const named = Object.entries(rules).map(
    ([name, rule]) => `${quoteName(name)} ${explainRule(rule, before.get(name))}`,
  );
  const fixed = Object.entries(given)
    .filter(([name]) => !Object.hasOwn(rules, name))
    .map(([name, value]) => `${quoteName(name)} is ${show(value)}`);
  const parts = [...named, ...fixed];
  const whose = {
    session: `session ${session}`,
    principal: quoteName(principal),
    role: `role ${quoteName(role ?? "")}`,
  };
  const where = parts.length > 0 ? ` where ${parts.join(", and ")}` : " without arguments";
  return `Calls of ${quoteName(tool)} for ${whose[scope]}${where}; ${count} at most, until ${expires}, while the session holds no more than ${labelWords(ceiling)}.`;
}
