/** A document of the right shape to what the core builds a policy from: names in camelCase, defaults of flags. */
import {
  type Approval,
  type ApprovalCondition,
  type ApprovalsDeclaration,
  DEFAULT_LATTICE,
  type LabelDeclaration,
  type Permission,
  type PolicyDeclaration,
  type RoleDeclaration,
  type ServerDeclaration,
  type ToolDeclaration,
  type ToolPolicy,
  toWorkspaceDeclaration,
  WORKSPACE_SERVER,
  type WorkspaceToolDeclaration,
} from "../core/index.ts";
import { toSeconds } from "./duration.ts";
import type {
  ApprovalsDocument,
  PolicyDocument,
  RoleDocument,
  ServerDocument,
  ToolPolicyDocument,
  WorkspaceDocument,
  WorkspaceToolDocument,
} from "./schema.ts";
import type { SinkDocument, SourceDocument, ToolDocument } from "./tool-schema.ts";

/** What a tool's declaration is made with. */
interface Making {
  readonly levels: readonly string[];
  /** The conditions of the file, by their text. */
  readonly conditions: ReadonlyMap<string, ApprovalCondition>;
}

export function toDeclaration(
  document: PolicyDocument,
  conditions: ReadonlyMap<string, ApprovalCondition>,
): PolicyDeclaration {
  const making = { levels: document.levels ?? DEFAULT_LATTICE.levels, conditions };
  const { trust, tools, roles, policy, approvals, unclassified } = document;
  return {
    levels: making.levels,
    ...(trust && { trust }),
    servers: toServerDeclarations(document, making),
    ...(tools && { tools: mapValues(tools, (tool) => toToolDeclaration(tool, making)) }),
    ...(roles && { roles: mapValues(roles, toRoleDeclaration) }),
    ...(policy && { policy: toToolPolicy(policy) }),
    ...(approvals && { approvals: toApprovals(approvals) }),
    ...(unclassified && { unclassified }),
  };
}

function toServerDeclarations(
  { servers = {}, workspace }: PolicyDocument,
  making: Making,
): Record<string, ServerDeclaration> {
  const declared = mapValues(servers, (server) => toServerDeclaration(server, making));
  return workspace ? { ...declared, [WORKSPACE_SERVER]: toWorkspace(workspace, making) } : declared;
}

function toWorkspace({ source, tools = {} }: WorkspaceDocument, making: Making): ServerDeclaration {
  return toWorkspaceDeclaration(
    {
      ...(source !== undefined && { source: toLabel(source) }),
      tools: mapValues(tools, (tool) => toWorkspaceTool(tool, making)),
    },
    making.levels,
  );
}

function toWorkspaceTool(tool: WorkspaceToolDocument, making: Making): WorkspaceToolDeclaration {
  return {
    ...(tool.source !== undefined && { source: toLabel(tool.source) }),
    ...toRest(tool, making),
  };
}

function toApprovals({ via, expires, wait }: ApprovalsDocument): ApprovalsDeclaration {
  const expiresSeconds = expires === undefined ? null : toSeconds(expires);
  const waitSeconds = wait === undefined ? null : toSeconds(wait);
  return {
    ...(via && { via }),
    ...(expiresSeconds !== null && { expiresSeconds }),
    ...(waitSeconds !== null && { waitSeconds }),
  };
}

// INVARIANT: `fromEntries` makes own properties whatever the name.
const mapValues = <From, To>(map: Record<string, From>, convert: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(value)]));

function toServerDeclaration(server: ServerDocument, making: Making): ServerDeclaration {
  const { source, sink, tools } = server;
  return {
    ...(source !== undefined && { source: toLabel(source) }),
    ...(sink !== undefined && { sink: toSink(sink) }),
    ...(tools && { tools: mapValues(tools, (tool) => toToolDeclaration(tool, making)) }),
  };
}

function toToolDeclaration(tool: ToolDocument, making: Making): ToolDeclaration {
  const source = tool.source ?? (tool.is_internal_source ? making.levels[1] : undefined);
  const permissions = new Set<Permission>(tool.permissions);
  if (tool.is_internal_source) permissions.add("read");
  if (tool.is_external) permissions.add("connect");
  return {
    permissions: [...permissions],
    ...(source !== undefined && { source: toLabel(source) }),
    ...toRest(tool, making),
  };
}

/** What tools of every kind may say. */
function toRest(
  { sink, tags, approval, on_violation }: Pick<ToolDocument, "sink" | "tags" | "approval" | "on_violation">,
  making: Making,
) {
  return {
    // Left out, a tool with `connect` has the lowest clearance, which is what `is_external` means.
    ...(sink !== undefined && { sink: toSink(sink) }),
    ...(tags && { tags }),
    ...(approval && { approval: toApproval(approval, making) }),
    ...(on_violation && { onViolation: on_violation }),
  };
}

function toApproval(approval: string, { conditions }: Making): Approval {
  if (approval === "always" || approval === "never") return approval;
  // INVARIANT: every condition was compiled, or the file was refused.
  return conditions.get(approval) ?? "always";
}

function toLabel(label: SourceDocument): LabelDeclaration {
  if (typeof label === "string") return { level: label };
  const { level, categories, trust } = label;
  return {
    ...(level !== undefined && { level }),
    ...(categories && { categories }),
    ...(trust !== undefined && { trust }),
  };
}

const toSink = (sink: SinkDocument): readonly LabelDeclaration[] =>
  Array.isArray(sink) ? sink.map(toLabel) : [toLabel(sink)];

function toRoleDeclaration(role: RoleDocument): RoleDeclaration {
  const { tools, permissions, approval } = role;
  return {
    ...(tools && { tools }),
    ...(permissions && { permissions }),
    ...(approval && { approval }),
    ...toToolPolicy(role),
  };
}

function toToolPolicy(policy: ToolPolicyDocument): ToolPolicy {
  const { allowed_tools: allowedTools, denied_tools: deniedTools, require_tags: requireTags } = policy;
  return {
    ...(allowedTools && { allowedTools }),
    ...(deniedTools && { deniedTools }),
    ...(requireTags && { requireTags }),
  };
}
