/**
 * What a sound policy file probably doesn't mean. Owns the warnings about tools and servers; those about names
 * in roles and in tool policies are next door.
 */
import { isPattern, matchesWildcard } from "../core/pattern.ts";
import type { Policy } from "../core/policy.ts";
import { parseToolId } from "../core/tool.ts";
import { isAllowed, isDenied } from "../core/tool-policy.ts";
import type { Declared, DeclaredTool } from "./declared.ts";
import { quote } from "./quote.ts";
import type { Report } from "./report.ts";
import { child, isFlag, type Tree, textsOf } from "./tree.ts";

/** The policy with the document that it was built from. */
export interface Loaded {
  readonly root: Tree;
  readonly declared: Declared;
  readonly policy: Policy;
}

export function warnAboutTools(loaded: Loaded, report: Report): void {
  for (const tool of loaded.declared.tools) {
    if (isPattern(tool.id)) warnAboutPattern(tool, report);
    else if (warnAboutRemoval(tool, loaded, report)) continue;
    if (tool.server === null) warnAboutShortKey(tool, loaded.declared, report);
    warnAboutSink(tool, loaded.declared, report);
  }
  if (loaded.policy.unclassified === "withhold") warnAboutServers(loaded.declared, report);
}

function warnAboutPattern({ key, at }: DeclaredTool, report: Report): void {
  report.add(
    at,
    `The pattern ${quote(key)} says what tools are that nobody has looked at.`,
    "Declare each tool by its own name where you can.",
  );
}

/** Whether the tool can't be called by anybody. */
function warnAboutRemoval({ id, key, at }: DeclaredTool, { policy, root }: Loaded, report: Report): boolean {
  const tool = policy.tools.get(id);
  const limits = policy.origin.declaration.policy;
  if (tool === undefined || limits === undefined || !policy.removed.has(id)) return false;
  const nobody = `Nobody can call ${quote(key)}:`;
  if (limits.deniedTools?.some((entry) => isDenied(entry, tool, policy.names))) {
    report.add(at, `${nobody} \`denied_tools\` of \`policy\` takes it away.`);
  } else if (
    limits.allowedTools &&
    !limits.allowedTools.some((entry) => isAllowed(entry, tool, policy.names))
  ) {
    report.add(at, `${nobody} \`allowed_tools\` of \`policy\` doesn't have it.`);
  } else {
    const required = textsOf(child(child(root, "policy"), "require_tags"));
    const missing = required.find(({ value }) => !tool.tags.includes(value));
    report.add(at, `${nobody} it lacks the tag ${quote(missing?.written ?? "")}, which \`policy\` requires.`);
  }
  return true;
}

/** `mail__send` at the top is a tool that the agent runs itself, whatever the server `mail` offers. */
function warnAboutShortKey({ key, at }: DeclaredTool, declared: Declared, report: Report): void {
  const server = declared.servers.find((entry) => key.startsWith(`${entry.key}__`));
  if (server === undefined) return;
  report.add(
    at,
    `${quote(key)} is taken for a tool that the agent runs itself.`,
    `For one of the server ${quote(server.key)} write ${quote(`mcp__${key}`)}.`,
  );
}

function warnAboutSink({ key, at, value }: DeclaredTool, declared: Declared, report: Report): void {
  const reachesOutside = textsOf(child(value, "permissions")).some(
    (permission) => permission.value === "connect",
  );
  if (!reachesOutside || child(value, "sink") || isFlag(child(value, "is_external"), true)) return;
  const [lowest = "public"] = declared.levels?.values() ?? [];
  report.add(
    at,
    `${quote(key)} reaches outside and has no \`sink\`, so only ${quote(lowest)} data may go there.`,
    `Say so with \`sink: ${lowest}\`, or name the highest level that may be sent.`,
  );
}

/** Servers of which no tool is declared, so that agents get none. */
function warnAboutServers(declared: Declared, report: Report): void {
  for (const { key, at } of declared.servers) {
    const isCovered = declared.tools.some(({ id, server }) => {
      if (server !== null || id === "*") return server === null || server === key;
      const parts = parseToolId(id);
      return parts.server !== null && matchesWildcard(parts.server, key);
    });
    if (!isCovered)
      report.add(
        at,
        `No tool of the server ${quote(key)} is declared, so agents get none of them.`,
        "Declare those that agents may use under its `tools`.",
      );
  }
}
