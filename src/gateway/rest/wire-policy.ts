/** The policy in force, for the wire. */
import type { z } from "zod";
import { initialState, type Policy, type Role, toMethodId, visibleTools } from "../../core/index.ts";
import type { ToolProvider } from "../../runtime/index.ts";
import type { Flows } from "../console-data/policy-flows.ts";
import type * as schemas from "./policy-schemas.ts";
import { toWireLabel } from "./wire.ts";
import { toWireTool } from "./wire-session.ts";

type WirePolicy = z.output<typeof schemas.policy>;

export function toWirePolicy(policy: Policy, providers: readonly ToolProvider[]): WirePolicy {
  const { lattice, approvals } = policy;
  return {
    version: policy.version,
    levels: [...lattice.levels],
    trust: [...lattice.trust],
    unclassified: policy.unclassified,
    approvals: {
      via: [...approvals.via],
      expires_seconds: approvals.expiresSeconds,
      wait_seconds: approvals.waitSeconds,
    },
    rules: toWireRules(policy),
    servers: providers.map((provider) => toWireServer(policy, provider)),
    tools: [...policy.tools.values()].map((tool) => ({
      ...toWireTool(policy, tool),
      removed: [...(policy.removed.get(tool.id) ?? [])],
      changed: policy.changed.has(tool.id),
    })),
    roles: [...policy.roles.values()].map((role) => toWireRole(policy, role)),
  };
}

/**
 * All tool policies together. Several lists of allowed tools are shown as the tools that they leave, because no list
 * of entries means the same.
 */
function toWireRules({ origin: { limits }, tools, removed }: Policy): WirePolicy["rules"] {
  const allowed = limits.flatMap((limit) => limit.allowed ?? []);
  const [only] = allowed;
  const left = [...tools.keys()].filter((id) => !removed.get(id)?.includes("denied-by-policy"));
  const listed = only && allowed.length === 1 ? [...only.names, ...only.patterns] : left;
  const denied = limits.flatMap((limit) => [...limit.denied.names, ...limit.denied.patterns]);
  return {
    allowed_tools: allowed.length === 0 ? null : listed,
    denied_tools: [...new Set(denied)],
    require_tags: [...new Set(limits.flatMap(({ tags }) => tags))],
  };
}

/** Its labels are those of a resource, which apply to everything besides tools. */
function toWireServer(
  policy: Policy,
  { id, status, problem, tools }: ToolProvider,
): WirePolicy["servers"][number] {
  const method = policy.methods.get(toMethodId(id, "resources/read"));
  return {
    id,
    status,
    problem,
    tools: tools.size,
    source: method?.source ? toWireLabel(method.source) : null,
    clearances: method?.clearances?.map(toWireLabel) ?? null,
  };
}

function toWireRole(policy: Policy, { name, permissions }: Role): WirePolicy["roles"][number] {
  const tools = visibleTools(policy, { ...initialState(policy.lattice), role: name });
  return { name, permissions: permissions && [...permissions], tools: tools.map(({ id }) => id) };
}

export const toWireFlows = ({ sources, sinks, cells }: Flows): z.output<typeof schemas.flows> => ({
  sources: sources.map(({ label, tools }) => ({ label: toWireLabel(label), tools: [...tools] })),
  sinks: sinks.map(({ clearances, releasable, tools }) => ({
    clearances: clearances.map(toWireLabel),
    releasable,
    tools: [...tools],
  })),
  cells: cells.map((row) => [...row]),
});
