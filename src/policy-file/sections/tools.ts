/** Tools: those of the MCP servers and those that the agent runs itself, with their permissions, labels and approvals. */
import { z } from "zod";
import {
  type Approval,
  type ApprovalCondition,
  isForMethods,
  isPattern,
  type Lattice,
  MAX_APPROVERS,
  matchesAnyMethod,
  matchesWildcard,
  nearMiss,
  PERMISSIONS,
  type Permission,
  parseToolId,
  type ToolDeclaration,
  WORKSPACE_SERVER,
} from "../../core/index.ts";
import { didYouMean, quote, quoteAll } from "../document/quote.ts";
import type { Report } from "../document/report.ts";
import { child, isFlag, type Tree, textsOf } from "../document/tree.ts";
import { type Declared, type DeclaredTool, type Loaded, takenAwayBy } from "./declared.ts";
import { checkSourceAndSink, source, toLabelDeclaration, toolSink, toPaths, toToolSink } from "./labels.ts";
import { byName, described, flag, map, name, names } from "./shape.ts";

export const permissions = z.array(z.enum(PERMISSIONS), { error: "a list of `read`, `write` and `connect`" });

const says = z.enum(["always", "never"]);

export const approval = z.union([says, name], { error: "`always`, `never` or a condition" });
export const onViolation = z.enum(["deny", "ask"]);

/** What a role says of a tool's approvals. */
export const roleApproval = byName(says, "a map of tools to `always` or `never`");

/** Keys of a tool that this version doesn't enforce yet. */
export const LATER_TOOL_KEYS = ["requires", "effects", "once", "endorsement"] as const;

/** How many people must say yes to a call that needs approval. */
export const approvers = described(
  z
    .int({ error: "a whole number" })
    .min(1, { error: `a number from 1 to ${MAX_APPROVERS}` })
    .max(MAX_APPROVERS, { error: `a number from 1 to ${MAX_APPROVERS}` }),
  "How many different people must say yes where a call needs approval; one no ends it. Left out: one.",
);

/** What may be said of a tool whose permissions and source follow from what it is. */
export const ownToolKeys = {
  tags: described(names, "Words that `require_tags` can ask for."),
  approval: described(approval, "Whether a person must approve a call, as on any tool. Left out: `never`."),
  on_violation: described(onViolation, "As on any tool. Left out: `deny`."),
  approvers,
};

const toolSchema = map(
  "A tool",
  {
    permissions: described(
      permissions,
      "What a call does: `read`, `write`, and `connect` for reaching outside.",
    ),
    source: described(
      source,
      "The label of what the tool brings into the session. Left out: it brings nothing in.",
    ),
    sink: described(
      toolSink,
      "What the tool may send out. Left out: a tool with `connect` may send the lowest level only, any other sends nothing out.",
    ),
    tags: described(names, "Words that `require_tags` can ask for."),
    approval: described(
      approval,
      "Whether a person must approve a call: `always`, `never`, or a condition in CEL over `args`, `tool` and `session`, such as `args.amount > 10000`. Where it can't be determined, a person is asked. Left out: `never`.",
    ),
    on_violation: described(
      onViolation,
      "What happens to a call that the session's label may not go to: `deny`, or `ask`, so that a person may release that one call. Left out: `deny`.",
    ),
    approvers,
    critical: described(
      names,
      "Arguments that say whom or what a call is for: once untrusted content is in, each must be the user's word, or a person is asked.",
    ),
    payload: described(
      names,
      "Arguments that carry content. A link in one must be the user's word once untrusted content is in.",
    ),
    destructive: described(
      flag,
      "Whether a call may delete, overwrite or move something; then the evidence `resolved` doesn't count. Left out: it may.",
    ),
    is_internal_source: described(
      flag,
      "Short for `permissions: [read]` and, without a `source`, one at the second-lowest level.",
    ),
    is_external: described(
      flag,
      "Short for `permissions: [connect]` and, without a `sink`, one at the lowest level.",
    ),
  },
  { error: "a map that says what the tool does", later: LATER_TOOL_KEYS },
).meta({
  id: "tool",
  description: "What a tool does and which data it touches.",
  anyOf: [
    { required: ["permissions"] },
    { required: ["is_internal_source"], properties: { is_internal_source: { const: true } } },
    { required: ["is_external"], properties: { is_external: { const: true } } },
  ],
});

export const toolsSchema = byName(toolSchema, "a map of tools by name");

export const toolKeys = {
  tools: described(
    toolsSchema,
    "Tools that the agent runs itself, by name; a server's as `mcp__server__tool`; patterns with `*`, of which the most specific counts.",
  ),
};

type ToolDocument = z.infer<typeof toolSchema>;

/** Tools that the gateway itself offers to every agent. */
const RESERVED: ReadonlySet<string> = new Set(["sluicegate_manifest", "sluicegate_check_plan"]);

export function checkTools(declared: Declared, report: Report): void {
  for (const tool of declared.tools) {
    if (tool.server === null) checkTopLevelName(tool, declared, report);
    else checkNameUnderServer(tool, tool.server, report);
    checkMethod(tool, report);
    checkSourceAndSink(tool.value, declared, report);
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
}

function warnAboutPattern({ key, at }: DeclaredTool, report: Report): void {
  report.add(
    at,
    `The pattern ${quote(key)} classifies tools that nobody has reviewed.`,
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

const hasPermission = (value: Tree, permission: string): boolean =>
  textsOf(child(value, "permissions")).some((one) => one.value === permission);

const bringsIn = (value: Tree): boolean =>
  child(value, "source") !== undefined || isFlag(child(value, "is_internal_source"), true);

/** What a tool's declaration is made with. */
export interface Making {
  readonly lattice: Lattice;
  /** The conditions of the file, by their text. */
  readonly conditions: ReadonlyMap<string, ApprovalCondition>;
}

/** Tools by name, for the core. */
export const toToolDeclarations = (
  tools: Readonly<Record<string, ToolDocument>>,
  making: Making,
): Readonly<Record<string, ToolDeclaration>> => mapValues(tools, (tool) => toToolDeclaration(tool, making));

// INVARIANT: `fromEntries` makes own properties whatever the name.
export const mapValues = <From, To>(
  named: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(named).map(([key, value]) => [key, convert(value)]));

function toToolDeclaration(tool: ToolDocument, making: Making): ToolDeclaration {
  const source = tool.source ?? (tool.is_internal_source ? making.lattice.levels[1] : undefined);
  const permissions = new Set<Permission>(tool.permissions);
  if (tool.is_internal_source) permissions.add("read");
  if (tool.is_external) permissions.add("connect");
  return {
    permissions: [...permissions],
    ...(source !== undefined && { source: toLabelDeclaration(source) }),
    ...toRest(tool, making),
  };
}

/** What tools of every kind may say. */
export function toRest(
  {
    sink,
    tags,
    approval,
    on_violation,
    approvers,
    critical,
    payload,
    destructive,
  }: Partial<
    Pick<
      ToolDocument,
      "sink" | "tags" | "approval" | "on_violation" | "approvers" | "critical" | "payload" | "destructive"
    >
  >,
  making: Making,
) {
  return {
    // Left out, a tool with `connect` has the lowest clearance, which is what `is_external` means.
    ...toToolSink(sink),
    ...(critical && { critical: toPaths(critical) }),
    ...(payload && { payload: toPaths(payload) }),
    ...(destructive !== undefined && { isDestructive: destructive }),
    ...(tags && { tags }),
    ...(approval && { approval: toApproval(approval, making) }),
    ...(on_violation && { onViolation: on_violation }),
    ...(approvers && { approvers }),
  };
}

function toApproval(approval: string, { conditions }: Making): Approval {
  if (approval === "always" || approval === "never") return approval;
  // INVARIANT: every condition was compiled, or the file was refused.
  return conditions.get(approval) ?? "always";
}
