/** Warns of names in roles and tool policies that mean nothing yet, or several things, or nothing that works. */
import {
  BUILTIN_TOOLS,
  isPattern,
  lookUp,
  matchesWildcard,
  type Policy,
  parseToolId,
} from "../../core/index.ts";
import { type Loaded, takenAwayBy } from "../document/loaded.ts";
import { createSuggester, type Suggester } from "../document/near-miss.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Entry, entriesOf, type TextTree, type Tree, textsOf, toText } from "../document/tree.ts";
import { toolsNamedBy } from "./check-roles.ts";

export function warnAboutNames(loaded: Loaded, report: Report): void {
  const { root, declared } = loaded;
  const suggest = createSuggester([...declared.known.declared]);
  const policy = child(root, "policy");
  if (policy) warnAboutToolPolicy(policy, loaded, suggest, report);
  for (const role of entriesOf(child(root, "roles"))) {
    warnAboutRole(role, loaded, report);
    warnAboutToolPolicy(role.value, loaded, suggest, report);
  }
}

function warnAboutRole(role: Entry, loaded: Loaded, report: Report): void {
  const items = textsOf(child(role.value, "tools"));
  const undeclared = toolsNamedBy(role.value).filter((item) => !isDeclared(item.value, loaded));
  const [first] = undeclared;
  if (first !== undefined) {
    const names = quoteAll(undeclared.map(({ written }) => written));
    report.add(
      first.at,
      `Nothing declares ${names} yet, so the role ${quote(role.key)} doesn't have what it names.`,
      "Declare what each does under `tools`.",
    );
  }
  for (const item of items) {
    warnAboutAmbiguity(item, `the role ${quote(role.key)} gets`, loaded.policy, report);
    warnAboutPermissions(item, role, loaded.policy, report);
  }
  for (const entry of entriesOf(child(role.value, "approval"))) {
    warnAboutAmbiguity(
      toText(entry),
      `the approvals of the role ${quote(role.key)} mean`,
      loaded.policy,
      report,
    );
  }
}

/** Whether a name or a pattern means something that the policy says anything about. */
function isDeclared(name: string, loaded: Loaded): boolean {
  const { policy, declared } = loaded;
  const { server } = parseToolId(name);
  if (name === "*" || (server !== null && policy.unclassified === "ask")) return true;
  if (!isPattern(name)) {
    const { tool, candidates } = lookUp(policy, name);
    return tool !== null || candidates.length > 0;
  }
  if (takenAwayBy(loaded, { allowedTools: [name] }).size < policy.tools.size) return true;
  return declared.tools.some(
    ({ id }) => id === "*" || (isPattern(id) && mayOverlap(server, parseToolId(id).server)),
  );
}

/** Whether two patterns can mean tools of one server. */
const mayOverlap = (left: string | null, right: string | null): boolean =>
  left === null || right === null
    ? left === right
    : matchesWildcard(left, right) || matchesWildcard(right, left);

function warnAboutAmbiguity(item: TextTree, outcome: string, policy: Policy, report: Report): void {
  const { candidates } = policy.names.resolve(item.value);
  if (candidates.length === 0) return;
  report.add(
    item.at,
    `${quote(item.written)} could mean ${quoteAll(candidates, "or")}, so ${outcome} none of them.`,
    "Write out the one that is meant.",
  );
}

function warnAboutPermissions(item: TextTree, role: Entry, policy: Policy, report: Report): void {
  const granted = policy.roles.get(role.key)?.permissions ?? null;
  const { id } = policy.names.resolve(item.value);
  const tool = id === null ? undefined : policy.tools.get(id);
  const missing =
    granted === null ? [] : (tool?.permissions ?? []).filter((needed) => !granted.includes(needed));
  if (missing.length === 0) return;
  report.add(
    item.at,
    `The role ${quote(role.key)} has ${quote(item.written)} and can't call it: it isn't granted ${quoteAll(missing)}.`,
  );
}

function warnAboutToolPolicy(policyOrRole: Tree, loaded: Loaded, suggest: Suggester, report: Report): void {
  for (const key of ["allowed_tools", "denied_tools"]) {
    for (const item of textsOf(child(policyOrRole, key))) {
      if (!meansSomething(item.value, loaded)) {
        report.add(
          item.at,
          `${quote(item.written)} in ${quote(key)} is no tool that this policy knows${suggest(item)}`,
        );
      } else if (key === "allowed_tools") {
        warnAboutAmbiguity(item, `${quote(key)} allows`, loaded.policy, report);
      }
    }
  }
}

/** Limits may name what a server offers one day, so only what can mean nothing at all is told. */
function meansSomething(name: string, loaded: Loaded): boolean {
  const { declared, policy } = loaded;
  if (name.startsWith("mcp__")) {
    const { server } = parseToolId(name);
    return server !== null && declared.serverIds.some((id) => matchesWildcard(server, id));
  }
  if (isPattern(name) || BUILTIN_TOOLS.has(name) || policy.unclassified === "ask") return true;
  const classifiesUnseen = declared.tools.some(
    ({ id }) => id === "*" || (isPattern(id) && parseToolId(id).server !== null),
  );
  return classifiesUnseen || isDeclared(name, loaded);
}
