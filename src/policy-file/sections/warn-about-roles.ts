/**
 * Warns of roles whose parts disagree: a tool in the set that something takes away, a permission that no tool needs, and
 * a role called like one of the agents that come along, with other tools than that has.
 */
import {
  FIXER_TOOLS,
  GENERATOR_TOOLS,
  IMPLEMENTER_TOOLS,
  ISSUE_FIXER_TOOLS,
  isPattern,
  type Policy,
  parseToolId,
  REVIEWER_TOOLS,
  type Role,
  type Tool,
  type ToolSet,
  toToolId,
  WORKSPACE_SERVER,
} from "../../core/index.ts";
import { type Loaded, takenAwayBy } from "../document/loaded.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Entry, entriesOf, type TextTree, textsOf } from "../document/tree.ts";

export function warnAboutRoles(loaded: Loaded, report: Report): void {
  for (const entry of entriesOf(child(loaded.root, "roles"))) {
    const role = loaded.policy.roles.get(entry.key);
    const items = textsOf(child(entry.value, "tools"));
    if (role === undefined || items.length === 0) continue;
    const named = items.map((item) => ({ item, tools: meantBy(item.value, loaded) }));
    for (const one of named) warnAboutTaken(one, role, loaded.policy, report);
    warnAboutIdle(entry, named, role, report);
    warnAboutAgent(entry, role, loaded, report);
  }
}

/** An entry of a role's tools, and the tools that it means. */
interface Named {
  readonly item: TextTree;
  readonly tools: readonly Tool[];
}

function meantBy(name: string, loaded: Loaded): readonly Tool[] {
  const { policy } = loaded;
  const all = [...policy.tools.values()];
  if (!isPattern(name)) {
    const { id } = policy.names.resolve(name);
    return all.filter((tool) => tool.id === id);
  }
  const others = takenAwayBy(loaded, { allowedTools: [name] });
  return all.filter(({ id }) => !others.has(id));
}

/** What a role names and never has. Of a pattern it is told only where nothing is left. */
function warnAboutTaken({ item, tools }: Named, role: Role, policy: Policy, report: Report): void {
  const [first] = tools;
  if (first === undefined || !tools.every(({ id }) => role.removed.has(id))) return;
  const what = isPattern(item.value) ? `every tool that ${quote(item.written)} means` : quote(item.written);
  const by = tools.every(({ id }) => policy.removed.has(id))
    ? "`policy` takes it from everybody"
    : "its own `allowed_tools`, `denied_tools` or `require_tags` take it away";
  report.add(item.at, `The role ${quote(role.name)} names ${what}, which it can't use: ${by}.`);
}

/** A permission that nothing in the role can use is there by mistake, and waits for a tool that can. */
function warnAboutIdle(entry: Entry, named: readonly Named[], role: Role, report: Report): void {
  // What a pattern or an undeclared name will mean one day may need anything.
  if (named.some(({ item, tools }) => isPattern(item.value) || tools.length === 0)) return;
  const needed = new Set(named.flatMap(({ tools }) => tools.flatMap(({ permissions }) => permissions)));
  for (const permission of textsOf(child(entry.value, "permissions"))) {
    if ([...needed].some((one) => one === permission.value)) continue;
    report.add(
      permission.at,
      `The role ${quote(role.name)} is granted ${quote(permission.written)}, which none of its tools needs.`,
      "Leave it out.",
    );
  }
}

/** The sets of the agents that come along, by their names. */
const SETS: ReadonlyMap<string, ToolSet> = new Map([
  ["implementer", IMPLEMENTER_TOOLS],
  ["code-reviewer", REVIEWER_TOOLS],
  ["issue-fixer", ISSUE_FIXER_TOOLS],
  ["fixer", FIXER_TOOLS],
  ["generator", GENERATOR_TOOLS],
]);

function warnAboutAgent({ key, at }: Entry, role: Role, { declared, policy }: Loaded, report: Report): void {
  const set = SETS.get(key);
  if (set === undefined || declared.workspace === null) return;
  const has = [...policy.tools.values()]
    .filter(({ id, server }) => server === WORKSPACE_SERVER && !role.removed.has(id))
    .map(({ id }) => parseToolId(id).tool);
  const more = has.filter((name) => !set.has(name));
  if (more.length > 0)
    report.add(
      at,
      `The role ${quote(key)} has ${quoteAll(more)}, which the agent of that name never has.`,
      "Leave that out of its `tools`, or call the role otherwise.",
    );
  const known = [...set].filter((name) => policy.tools.has(toToolId(WORKSPACE_SERVER, name)));
  const fewer = known.filter((name) => !has.includes(name));
  if (fewer.length > 0)
    report.add(
      at,
      `The role ${quote(key)} doesn't have ${quoteAll(fewer)}, which the agent of that name works with.`,
    );
}
