/** Sentences that tell people exactly what an approval permits, once or standing. */
import type { Label, Lattice } from "../label/label.ts";
import { parseToolId, type Tool } from "../tools/tool.ts";
import { WORKSPACE_SERVER, WORKSPACE_TOOLS } from "../tools/workspace-tools.ts";
import { describeClearances, describeLabel } from "./explain.ts";
import { quoteName } from "./quote-name.ts";
import { type ArgumentRule, leastOf, type StandingApproval } from "./standing.ts";

/** A call that waits for a person. */
export interface Wish {
  readonly principal: string;
  /** The identity of its tool. */
  readonly id: string;
  /** Null if the policy doesn't have it now. */
  readonly tool: Tool | null;
  /** Whether an approval is a release. */
  readonly release: boolean;
  /** The session's label when it was requested. */
  readonly label: Label;
}

/** The request as a sentence for the approver. */
export function explainWish(lattice: Lattice, { principal, id, tool, release, label }: Wish): string {
  const agent = `${quoteName(principal)}'s agent wants to`;
  if (tool === null) return `${agent} call ${quoteName(id)}, which isn't there now.`;
  const named = `${quoteName(tool.name)} of ${placeOf(tool)}`;
  const { clearances } = tool;
  const limit = clearances && `, which may receive ${describeClearances(lattice, clearances)}`;
  if (release)
    return `${agent} release what its session holds, ${describeLabel(label)}, to ${named}${limit}.`;
  if (!tool.classified)
    return `${agent} call ${named}. Nobody has said what that does: it may read, write and send data outside.`;
  return `${agent} ${listEffects(tool)} with ${named}${limit ?? ""}.`;
}

/** The request to run a plan, as a sentence for its approver. */
export const explainPlanWish = (principal: string, steps: number, asking: number): string =>
  `${quoteName(principal)}'s agent wants to run a plan of ${steps === 1 ? "one call" : `${steps} calls`}, of which ${asking} may run unasked by your yes, once each. Steps count from 0.`;

const placeOf = ({ server }: Tool): string =>
  server === null
    ? "its own"
    : server === WORKSPACE_SERVER
      ? "the workspace"
      : `the server ${quoteName(server)}`;

/** The effects of a tool's call, the most severe last. */
function listEffects(tool: Tool): string {
  if (isProgram(tool)) return "run a program";
  const { permissions, clearances } = tool;
  const writes = permissions.includes("write");
  const sends = permissions.includes("connect") || (clearances !== null && !writes);
  const deeds = [
    ...(permissions.includes("read") ? ["read"] : []),
    ...(writes ? ["write"] : []),
    ...(sends ? ["send data outside"] : []),
  ];
  const last = deeds.pop() ?? "do something";
  return deeds.length === 0 ? last : `${deeds.join(", ")} and ${last}`;
}

const isProgram = ({ id, server }: Tool): boolean => {
  const name = parseToolId(id).tool;
  return (
    server === WORKSPACE_SERVER && Object.hasOwn(WORKSPACE_TOOLS, name) && WORKSPACE_TOOLS[name] === "process"
  );
};

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
