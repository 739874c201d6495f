/** A document of the right shape to what the core builds a policy from: names in camelCase, defaults of flags. */
import {
  type ApprovalCondition,
  type ApprovalsDeclaration,
  type PolicyDeclaration,
  type RoleDeclaration,
  type ServerDeclaration,
  type ToolPolicy,
  toWorkspaceDeclaration,
  WORKSPACE_SERVER,
  type WorkspaceToolDeclaration,
} from "../../core/index.ts";
import { toSeconds } from "../document/duration.ts";
import type {
  ApprovalsDocument,
  PolicyDocument,
  RoleDocument,
  ServerDocument,
  ToolPolicyDocument,
  WorkspaceDocument,
  WorkspaceToolDocument,
} from "../schema.ts";
import type { Connectors } from "./connectors.ts";
import { toApiDeclaration, toDatabaseDeclaration } from "./declare-connectors.ts";
import { toLabelDeclaration } from "./to-label.ts";
import { type Making, toRest, toSink, toToolDeclaration } from "./to-tool-declaration.ts";

export function toDeclaration(
  document: PolicyDocument,
  conditions: ReadonlyMap<string, ApprovalCondition>,
  connectors: Connectors,
): PolicyDeclaration {
  const making = { levels: connectors.lattice.levels, conditions };
  const { trust, categories = {}, tools, roles, policy, approvals, unclassified } = document;
  return {
    levels: making.levels,
    ...(trust && { trust }),
    categories: Object.keys(categories),
    servers: {
      ...toServerDeclarations(document, making),
      ...toConnectorDeclarations(document, connectors, making),
    },
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

function toConnectorDeclarations(
  { databases = {}, apis = {} }: PolicyDocument,
  connectors: Connectors,
  making: Making,
): Record<string, ServerDeclaration> {
  const { lattice } = connectors;
  const declared: [string, ServerDeclaration][] = [];
  for (const [id, database] of Object.entries(databases)) {
    const config = connectors.databases.get(id);
    if (config) declared.push([id, toDatabaseDeclaration(database, config, lattice, making)]);
  }
  for (const [id, api] of Object.entries(apis)) {
    const config = connectors.apis.get(id);
    if (config) declared.push([id, toApiDeclaration(api, config, lattice, making)]);
  }
  return Object.fromEntries(declared);
}

function toWorkspace({ source, tools = {} }: WorkspaceDocument, making: Making): ServerDeclaration {
  return toWorkspaceDeclaration(
    {
      ...(source !== undefined && { source: toLabelDeclaration(source) }),
      tools: mapValues(tools, (tool) => toWorkspaceTool(tool, making)),
    },
    making.levels,
  );
}

function toWorkspaceTool(tool: WorkspaceToolDocument, making: Making): WorkspaceToolDeclaration {
  return {
    ...(tool.source !== undefined && { source: toLabelDeclaration(tool.source) }),
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
    ...(source !== undefined && { source: toLabelDeclaration(source) }),
    ...(sink !== undefined && { sink: toSink(sink) }),
    ...(tools && { tools: mapValues(tools, (tool) => toToolDeclaration(tool, making)) }),
  };
}

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
