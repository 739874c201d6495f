/** Roles, and the limits on tools that hold for everybody (`policy`): both name tools that others declare. */
import type { z } from "zod";
import {
  approvalInRole,
  assertKnownTools,
  BUILTIN_TOOLS,
  FIXER_TOOLS,
  GENERATOR_TOOLS,
  IMPLEMENTER_TOOLS,
  InvalidToolError,
  ISSUE_FIXER_TOOLS,
  isPattern,
  type KnownTools,
  lookUp,
  matchesWildcard,
  type Policy,
  parseToolId,
  REVIEWER_TOOLS,
  type Role,
  type RoleDeclaration,
  type Tool,
  type ToolPolicy,
  type ToolSet,
  toRoleApproval,
  toToolId,
  WORKSPACE_SERVER,
} from "../../core/index.ts";
import { createSuggester, quote, quoteAll, type Suggester } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import {
  child,
  type Entry,
  entriesOf,
  isText,
  type TextTree,
  type Tree,
  textsOf,
  toText,
} from "../document/tree.ts";
import type { Wording } from "../shape-wording.ts";
import { type Declared, type Loaded, takenAwayBy } from "./declared.ts";
import { checkClearances, sink, toClearances } from "./labels.ts";
import { byName, described, map, names } from "./shape.ts";
import { mapValues, permissions, roleApproval } from "./tools.ts";
import { whatIn, workspaceToolKind } from "./workspace.ts";

const toolPolicy = {
  allowed_tools: described(names, "Only these tools, by name or by pattern. An empty list allows none."),
  denied_tools: described(names, "Not these tools, by name or by pattern, whatever else allows them."),
  require_tags: described(names, "Only tools that have all of these tags."),
};

const roleSchema = map(
  "A role",
  {
    tools: described(names, "The role's tools, by name or by pattern. Left out: all."),
    permissions: described(permissions, "What the role is granted. Left out: what its tools declare."),
    approval: described(
      roleApproval,
      "What the role says of tools' approvals in place of the tools themselves: `always` or `never`, by name or by pattern.",
    ),
    clearance: described(
      sink,
      "What a session's final answer may hold in this role, where its host asks: a clearance, or a list of which any one is enough. Left out: whatever it is.",
    ),
    ...toolPolicy,
  },
  { later: ["endorsement"] },
).meta({ id: "role", description: "The tools of one kind of agent, and what it may do with them." });

const toolPolicySchema = map("`policy`", toolPolicy);

export const roleKeys = {
  roles: described(byName(roleSchema, "a map of roles by name"), "Roles by name."),
  policy: described(toolPolicySchema, "Limits on tools that hold for everybody."),
};

export function checkRoles(root: Tree, declared: Declared, report: Report): void {
  const servers = [...declared.known.servers];
  const names = new Set(declared.known.declared);
  const patterns = declared.tools.map(({ id }) => id).filter(isPattern);
  const suggest = createSuggester([...names, ...BUILTIN_TOOLS]);
  const policy = child(root, "policy");
  if (policy) checkToolPolicy(policy, report);
  for (const { value: role } of entriesOf(child(root, "roles"))) {
    checkToolPolicy(role, report);
    checkClearances(child(role, "clearance"), declared, report);
    for (const tool of toolsNamedBy(role)) {
      // A name is declared by itself or by a pattern, so that these are enough to know; a pattern by any name.
      const own = [tool.value].filter((name) => names.has(name));
      const known = isPattern(tool.value) ? names : [...own, ...patterns];
      if (tool.value === "" || matchesNothing(tool.value)) continue;
      if (isKnown(tool.value, { servers, declared: known })) continue;
      report.add(tool.at, ...wordUnknown(tool, suggest(tool), declared));
    }
  }
}

/** The tools of a role, and those of whose approvals it says something. */
const toolsNamedBy = (role: Tree): readonly TextTree[] => [
  ...textsOf(child(role, "tools")),
  ...entriesOf(child(role, "approval")).map(toText),
];

/** Looks like a server's tool, and can be none. */
const matchesNothing = (entry: string): boolean =>
  entry.startsWith("mcp__") && parseToolId(entry).server === null;

/** An entry that could never match would let through what it was to deny. */
function checkToolPolicy(policyOrRole: Tree, report: Report): void {
  for (const key of ["tools", "allowed_tools", "denied_tools", "approval"]) {
    const list = child(policyOrRole, key);
    const items = key === "approval" ? entriesOf(list).map(toText) : textsOf(list);
    for (const item of items) {
      if (!matchesNothing(item.value)) continue;
      const fix = "Write `mcp__{server}__{tool}`; either part may hold `*`.";
      report.add(item.at, `${quote(item.written)} in ${quote(key)} is not the name of a server's tool.`, fix);
    }
  }
}

function isKnown(tool: string, known: KnownTools): boolean {
  try {
    assertKnownTools([tool], known);
    return true;
  } catch (error) {
    if (error instanceof InvalidToolError) return false;
    throw error;
  }
}

function wordUnknown(tool: TextTree, suggestion: string, declared: Declared): Wording {
  const message = `There is no tool ${quote(tool.written)}${suggestion}`;
  return [message, suggestion === "." ? fixFor(declared) : undefined];
}

function fixFor({ known, tools }: Declared): string {
  const ids = tools.map(({ id }) => id).filter((id) => !isPattern(id));
  const servers = [...known.servers].map((server) => `mcp__${server}__*`);
  return `Declare it under \`tools\`, or use one of ${quoteAll([...ids, ...servers, ...BUILTIN_TOOLS])}.`;
}

export function warnAboutRoles(loaded: Loaded, report: Report): void {
  const { root, declared } = loaded;
  const suggest = createSuggester([...declared.known.declared]);
  const policy = child(root, "policy");
  if (policy) warnAboutToolPolicy(policy, loaded, suggest, report);
  for (const role of entriesOf(child(root, "roles"))) {
    warnAboutNames(role, loaded, report);
    warnAboutToolPolicy(role.value, loaded, suggest, report);
    warnAboutSet(role, loaded, report);
    warnAboutUnasked(role, loaded.policy, report);
  }
}

/** Names that mean nothing yet, or several things, or nothing that works. */
function warnAboutNames(role: Entry, loaded: Loaded, report: Report): void {
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
  const approval = child(policyOrRole, "approval");
  const lists = ["tools", "allowed_tools", "denied_tools"].map((key) => ({
    key,
    items: textsOf(child(policyOrRole, key)),
  }));
  for (const { key, items } of [...lists, { key: "approval", items: entriesOf(approval).map(toText) }]) {
    for (const item of items) {
      if (!meansSomething(item.value, loaded)) {
        report.add(
          item.at,
          `${quote(item.written)} in ${quote(key)} isn't a tool of this policy${suggest(item)}`,
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

/**
 * Parts of a role that disagree: a tool in the set that something takes away, a permission that no tool needs, and the
 * name of one of the agents that come along, with other tools than that has.
 */
function warnAboutSet(entry: Entry, loaded: Loaded, report: Report): void {
  const role = loaded.policy.roles.get(entry.key);
  const items = textsOf(child(entry.value, "tools"));
  if (role === undefined || items.length === 0) return;
  const named = items.map((item) => ({ item, tools: meantBy(item.value, loaded) }));
  for (const one of named) warnAboutTaken(one, role, loaded.policy, report);
  warnAboutIdle(entry, named, role, report);
  warnAboutAgent(entry, role, loaded, report);
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

/** What lets an agent act unasked. */
function warnAboutUnasked({ key, value }: Entry, policy: Policy, report: Report): void {
  const role = policy.roles.get(key);
  if (role === undefined || role.approval === null) return;
  const { approval, removed } = role;
  const acting = [...policy.tools.values()].filter(
    (tool) =>
      tool.server === WORKSPACE_SERVER &&
      workspaceToolKind(ownName(tool)) !== "read" &&
      !removed.has(tool.id) &&
      approvalInRole(approval, tool, policy.names) === "never",
  );
  for (const entry of entriesOf(child(value, "approval"))) {
    if (!isText(entry.value) || entry.value.value !== "never") continue;
    const alone = toRoleApproval({ [entry.key]: "never" });
    const meant = acting.filter((tool) => alone && approvalInRole(alone, tool, policy.names) !== null);
    if (meant.length === 0) continue;
    const names = meant.map(ownName);
    const message = `The role ${quote(key)} has \`approval: never\` for ${quoteAll(names)}, so an agent in it can ${whatIn(names)} unasked.`;
    report.add(entry.at, message);
  }
}

const ownName = ({ id }: Tool): string => id.slice(toToolId(WORKSPACE_SERVER, "").length);

export const toRoles = (
  roles: Readonly<Record<string, z.infer<typeof roleSchema>>>,
): Readonly<Record<string, RoleDeclaration>> => mapValues(roles, toRoleDeclaration);

function toRoleDeclaration(role: z.infer<typeof roleSchema>): RoleDeclaration {
  const { tools, permissions, approval, clearance } = role;
  return {
    ...(tools && { tools }),
    ...(permissions && { permissions }),
    ...(approval && { approval }),
    ...(clearance !== undefined && { clearance: toClearances(clearance) }),
    ...toToolPolicy(role),
  };
}

export function toToolPolicy(policy: z.infer<typeof toolPolicySchema>): ToolPolicy {
  const { allowed_tools: allowedTools, denied_tools: deniedTools, require_tags: requireTags } = policy;
  return {
    ...(allowedTools && { allowedTools }),
    ...(deniedTools && { deniedTools }),
    ...(requireTags && { requireTags }),
  };
}
