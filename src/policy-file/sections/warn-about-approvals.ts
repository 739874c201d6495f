/** Warns of what lets an agent act unasked, or answer for its person. */
import {
  approvalInRole,
  type Policy,
  type Tool,
  toRoleApproval,
  toToolId,
  WORKSPACE_SERVER,
  WORKSPACE_TOOLS,
  type WorkspaceToolKind,
} from "../../core/index.ts";
import type { Loaded } from "../document/loaded.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, type Entry, entriesOf, isText, textsOf } from "../document/tree.ts";

export function warnAboutApprovals({ root, declared, policy }: Loaded, report: Report): void {
  for (const way of textsOf(child(child(root, "approvals"), "via"))) {
    if (way.value !== "client") continue;
    const message = "The agent's own client may answer approvals, and it can answer without its person.";
    report.add(way.at, message, "Leave `client` out where the yes of a person must be certain.");
  }
  for (const tool of declared.workspace?.tools ?? []) warnAboutTool(tool, policy, report);
  for (const role of entriesOf(child(root, "roles"))) warnAboutRole(role, policy, report);
}

function warnAboutTool({ key, value }: Entry, policy: Policy, report: Report): void {
  const approval = child(value, "approval");
  const isGone = policy.removed.has(toToolId(WORKSPACE_SERVER, key));
  if (isGone || !isText(approval) || approval.value !== "never" || kindOf(key) === "read") return;
  report.add(approval.at, `${quote(key)} has \`approval: never\`, so an agent can ${whatIn([key])} unasked.`);
}

function warnAboutRole({ key, value }: Entry, policy: Policy, report: Report): void {
  const role = policy.roles.get(key);
  if (role === undefined || role.approval === null) return;
  const { approval, removed } = role;
  const acting = [...policy.tools.values()].filter(
    (tool) =>
      tool.server === WORKSPACE_SERVER &&
      kindOf(ownName(tool)) !== "read" &&
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

function kindOf(name: string): WorkspaceToolKind {
  return (Object.hasOwn(WORKSPACE_TOOLS, name) ? WORKSPACE_TOOLS[name] : undefined) ?? "process";
}

/** What tools do that no person sees. */
function whatIn(names: readonly string[]): string {
  const kinds = new Set(names.map(kindOf));
  if (!kinds.has("process")) return "change files";
  return kinds.has("write") ? "change files and run programs" : "run programs";
}
