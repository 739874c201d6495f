/** Checks tools: how they are called, that none is declared twice, and what their shape can't say. */
import {
  isForMethods,
  matchesAnyMethod,
  matchesWildcard,
  nearMiss,
  parseToolId,
  WORKSPACE_SERVER,
} from "../../core/index.ts";
import { didYouMean } from "../document/near-miss.ts";
import { quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, isFlag } from "../document/tree.ts";
import type { Declared, DeclaredTool } from "./declared.ts";

/** Tools that the gateway itself offers to every agent. */
const RESERVED: ReadonlySet<string> = new Set(["sluicegate_manifest", "sluicegate_check_plan"]);

export function checkTools(declared: Declared, report: Report): void {
  for (const tool of declared.tools) {
    if (tool.server === null) checkTopLevelName(tool, declared, report);
    else checkNameUnderServer(tool, tool.server, report);
    checkMethod(tool, report);
    checkDeclaration(tool, declared, report);
  }
  checkRepeats(declared.tools, report);
}

function checkTopLevelName({ key, at }: DeclaredTool, declared: Declared, report: Report): void {
  if (RESERVED.has(key)) {
    report.add(at, `${quote(key)} is a tool of Sluicegate itself.`, "Give yours another name.");
  }
  if (!key.startsWith("mcp__")) return;
  const { server } = parseToolId(key);
  const servers = declared.serverIds;
  if (server === null) {
    const form = "Write `mcp__{server}__{tool}`; either part may hold `*`.";
    report.add(at, `${quote(key)} is not the name of a server's tool.`, form);
  } else if (!servers.some((id) => matchesWildcard(server, id))) {
    const missing = `${quote(server)}, which is not configured${didYouMean(server, servers)}`;
    report.add(at, `${quote(key)} is for a server ${missing}`, fixForServer(server, servers));
  }
}

function fixForServer(server: string, servers: readonly string[]): string | undefined {
  if (nearMiss(server, servers) !== undefined) return undefined;
  if (server === WORKSPACE_SERVER) return "Add a `workspace` to the file, such as `workspace: { root: . }`.";
  return servers.length === 0 ? "Configure it under `servers`." : `Configured are ${quoteAll(servers)}.`;
}

function checkNameUnderServer({ key, at }: DeclaredTool, server: string, report: Report): void {
  const parts = parseToolId(key);
  if (parts.server !== server) return;
  report.add(
    at,
    `Under its server a tool has its short name, not ${quote(key)}.`,
    `Write ${quote(parts.tool)}.`,
  );
}

/** THREAT: what stands in a policy and never applies is a rule that its author relies on. */
function checkMethod({ id, key, at }: DeclaredTool, report: Report): void {
  if (!isForMethods(id) || matchesAnyMethod(id)) return;
  report.add(
    at,
    `${quote(key)} has a \`/\` in its name and matches no method of a server, so it would never apply.`,
    "Write a tool's name, or a method such as `resources/read`, `prompts/get` or `resources/*`.",
  );
}

const FLAGS = ["is_internal_source", "is_external"];

function checkDeclaration({ value: tool }: DeclaredTool, declared: Declared, report: Report): void {
  if (tool.kind !== "map") return;
  // A flag that is neither true nor false is told by the check of the shape.
  const isImplied = FLAGS.some((key) => tool.entries.has(key) && !isFlag(child(tool, key), false));
  if (!isImplied && !tool.entries.has("permissions") && !tool.partial) {
    const fix = "Say what the tool does, with any of `read`, `write` and `connect`: `permissions: [read]`.";
    report.add(tool.at, "`permissions` is missing.", fix);
  }
  const flag = tool.entries.get("is_internal_source");
  if (isFlag(flag?.value, true) && declared.levels?.size === 1 && !tool.entries.has("source")) {
    const message = "`is_internal_source` means the second-lowest level, and there is only one.";
    report.add(flag?.at ?? tool.at, message, "Name the `source`, or add a level.");
  }
}

function checkRepeats(tools: readonly DeclaredTool[], report: Report): void {
  const inFileOrder = [...tools].sort(
    (left, right) => left.at.line - right.at.line || left.at.column - right.at.column,
  );
  const seen = new Map<string, DeclaredTool>();
  for (const tool of inFileOrder) {
    const before = seen.get(tool.id);
    if (before === undefined) seen.set(tool.id, tool);
    else
      report.add(
        tool.at,
        `${quote(tool.id)} is declared twice; the first is ${quote(before.key)} on line ${before.at.line}.`,
        "Keep one of the two.",
      );
  }
}
