/** A document of the right shape to what the core builds a policy from: names in camelCase, defaults of flags. */
import {
  DEFAULT_LATTICE,
  type LabelDeclaration,
  type Permission,
  type PolicyDeclaration,
  type RoleDeclaration,
  type ServerDeclaration,
  type ToolDeclaration,
  type ToolPolicy,
} from "../core/index.ts";
import type {
  PolicyDocument,
  RoleDocument,
  ServerDocument,
  SinkDocument,
  SourceDocument,
  ToolDocument,
  ToolPolicyDocument,
} from "./schema.ts";

export function toDeclaration(document: PolicyDocument): PolicyDeclaration {
  const levels = document.levels ?? DEFAULT_LATTICE.levels;
  const { trust, servers, tools, roles, policy, unclassified } = document;
  return {
    levels,
    ...(trust && { trust }),
    ...(servers && { servers: mapValues(servers, (server) => toServerDeclaration(server, levels)) }),
    ...(tools && { tools: mapValues(tools, (tool) => toToolDeclaration(tool, levels)) }),
    ...(roles && { roles: mapValues(roles, toRoleDeclaration) }),
    ...(policy && { policy: toToolPolicy(policy) }),
    ...(unclassified && { unclassified }),
  };
}

// INVARIANT: `fromEntries` makes own properties whatever the name.
const mapValues = <From, To>(map: Record<string, From>, convert: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(value)]));

function toServerDeclaration(server: ServerDocument, levels: readonly string[]): ServerDeclaration {
  const { source, sink, tools } = server;
  return {
    ...(source !== undefined && { source: toLabel(source) }),
    ...(sink !== undefined && { sink: toSink(sink) }),
    ...(tools && { tools: mapValues(tools, (tool) => toToolDeclaration(tool, levels)) }),
  };
}

function toToolDeclaration(tool: ToolDocument, levels: readonly string[]): ToolDeclaration {
  const source = tool.source ?? (tool.is_internal_source ? levels[1] : undefined);
  const permissions = new Set<Permission>(tool.permissions);
  if (tool.is_internal_source) permissions.add("read");
  if (tool.is_external) permissions.add("connect");
  return {
    permissions: [...permissions],
    ...(source !== undefined && { source: toLabel(source) }),
    // Left out, a tool with `connect` has the lowest clearance, which is what `is_external` means.
    ...(tool.sink !== undefined && { sink: toSink(tool.sink) }),
    ...(tool.tags && { tags: tool.tags }),
    ...(tool.approval && { approval: tool.approval }),
  };
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
  const { tools, permissions } = role;
  return { ...(tools && { tools }), ...(permissions && { permissions }), ...toToolPolicy(role) };
}

function toToolPolicy(policy: ToolPolicyDocument): ToolPolicy {
  const { allowed_tools: allowedTools, denied_tools: deniedTools, require_tags: requireTags } = policy;
  return {
    ...(allowedTools && { allowedTools }),
    ...(deniedTools && { deniedTools }),
    ...(requireTags && { requireTags }),
  };
}
