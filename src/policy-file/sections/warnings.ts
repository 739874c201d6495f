/**
 * What a sound policy file probably doesn't mean. Owns the warnings about tools and servers; those about names
 * in roles and in tool policies are next door.
 */
import { isForMethods, isPattern, matchesWildcard, parseToolId } from "../../core/index.ts";
import { type Loaded, takenAwayBy } from "../document/loaded.ts";
import { quote } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, isFlag, textsOf } from "../document/tree.ts";
import type { Declared, DeclaredTool } from "./declared.ts";

export function warnAboutTools(loaded: Loaded, report: Report): void {
  const { declared, policy } = loaded;
  warnAboutRemovals(loaded, report);
  for (const tool of declared.tools) {
    if (policy.removed.has(tool.id)) continue;
    if (isForMethods(tool.id)) warnAboutMethod(tool, declared, report);
    else if (isPattern(tool.id)) warnAboutPattern(tool, report);
    if (tool.server === null) warnAboutShortKey(tool, declared, report);
    warnAboutSink(tool, declared, report);
    warnAboutStore(tool, declared, report);
  }
  if (policy.unclassified === "withhold") warnAboutServers(declared, report);
}

function warnAboutPattern({ key, at }: DeclaredTool, report: Report): void {
  report.add(
    at,
    `The pattern ${quote(key)} says what tools are that nobody has looked at.`,
    "Declare each tool by its own name where you can.",
  );
}

function warnAboutMethod({ key, at, value }: DeclaredTool, declared: Declared, report: Report): void {
  if (child(value, "source") || isFlag(child(value, "is_internal_source"), true)) return;
  const [lowest = "public"] = declared.levels?.values() ?? [];
  report.add(
    at,
    `${quote(key)} is declared without a \`source\`, so it brings nothing into a session, whatever its server holds.`,
    `Write what it brings in, such as \`source: ${lowest}\`.`,
  );
}

/** Tools that nobody can call, with the limit that takes each away. */
function warnAboutRemovals(loaded: Loaded, report: Report): void {
  const { declared, policy, root } = loaded;
  if (policy.removed.size === 0) return;
  const { deniedTools = [], allowedTools } = policy.origin.declaration.policy ?? {};
  const denied = takenAwayBy(loaded, { deniedTools });
  const notAllowed = takenAwayBy(loaded, allowedTools ? { allowedTools } : {});
  const required = textsOf(child(child(root, "policy"), "require_tags"));
  for (const { id, key, at } of declared.tools) {
    if (!policy.removed.has(id)) continue;
    const missing = required.find(({ value }) => !policy.tools.get(id)?.tags.includes(value));
    let reason = `it lacks the tag ${quote(missing?.written ?? "")}, which \`policy\` requires`;
    if (notAllowed.has(id)) reason = "`allowed_tools` of `policy` doesn't have it";
    if (denied.has(id)) reason = "`denied_tools` of `policy` takes it away";
    report.add(at, `Nobody can call ${quote(key)}: ${reason}.`);
  }
}

/** `mail__send` at the top is a tool that the agent runs itself, whatever the server `mail` offers. */
function warnAboutShortKey({ key, at }: DeclaredTool, declared: Declared, report: Report): void {
  const server = declared.serverIds.find((id) => key.startsWith(`${id}__`));
  if (server === undefined) return;
  report.add(
    at,
    `${quote(key)} is taken for a tool that the agent runs itself.`,
    `For one of the server ${quote(server)} write ${quote(`mcp__${key}`)}.`,
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

/** What one tool of a server keeps and another gives back carries no label of its own from one session to the next. */
function warnAboutStore({ key, at, server, value }: DeclaredTool, declared: Declared, report: Report): void {
  if (server === null || !hasPermission(value, "write") || child(value, "sink")) return;
  const reader = declared.tools.find(
    (tool) => tool.server === server && hasPermission(tool.value, "read") && !bringsIn(tool.value),
  );
  if (reader === undefined) return;
  report.add(
    at,
    `${quote(key)} may keep any session's data at its server, and ${quote(reader.key)} gives what is kept there to any session as if it were nothing.`,
    `Give ${quote(key)} a \`sink\`, or ${quote(reader.key)} a \`source\` that is as high as what may be kept.`,
  );
}

const hasPermission = (value: DeclaredTool["value"], permission: string): boolean =>
  textsOf(child(value, "permissions")).some((one) => one.value === permission);

const bringsIn = (value: DeclaredTool["value"]): boolean =>
  child(value, "source") !== undefined || isFlag(child(value, "is_internal_source"), true);

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
