/** What names mean under a policy, and why a tool is unavailable. */

import { type EndorsementRules, needsEndorsement } from "../endorsement/endorsement-rules.ts";
import type { Lattice } from "../label/label.ts";
import { createSinks, Sink } from "../label/sink.ts";
import type { Policy, Role, RoleRemoval } from "../policy/policy.ts";
import { roleRemovalsOf } from "../policy/roles.ts";
import { classifyByPattern, isConfigured } from "./declared-tools.ts";
import type { ToolNames } from "./names.ts";
import { nearMiss } from "./near-miss.ts";
import { defineTool, parseToolId, type Tool } from "./tool.ts";
import { removalsOf } from "./tool-policy.ts";

/** What a name that an agent gave means under a policy. */
export interface LookUp {
  readonly tool: Tool | null;
  /** The identities it could mean, where it could mean several. */
  readonly candidates: readonly string[];
}

/** What a name means, ready to be decided on. */
export interface CompiledName extends LookUp {
  /** The tool's place in what a policy and its roles keep by number; -1 where it has none. */
  readonly number: number;
  /** What may be sent to the tool; null if it sends nothing out. */
  readonly sink: Sink | null;
  /** Whether a call's arguments say what it may do: its recipients, or what must be the user's word. */
  readonly isCompared: boolean;
}

const NONE: readonly never[] = Object.freeze([]);
const UNKNOWN: CompiledName = Object.freeze({
  tool: null,
  candidates: NONE,
  number: -1,
  sink: null,
  isCompared: false,
});

/** What each name means, by every name of every tool and method. A tool's number is its place among the tools. */
export function compileNames(
  lattice: Lattice,
  names: ToolNames,
  tools: ReadonlyMap<string, Tool>,
  methods: ReadonlyMap<string, Tool>,
  endorsement: EndorsementRules,
): ReadonlyMap<string, CompiledName> {
  const byId = new Map<string, CompiledName>();
  const sinkOf = createSinks(lattice, names);
  for (const tool of tools.values())
    byId.set(tool.id, compile(endorsement, tool, byId.size, sinkOf(tool.clearances)));
  const meanings = new Map<string, CompiledName>();
  for (const name of names.all()) {
    const { id, candidates } = names.resolve(name);
    const compiled = id === null ? undefined : byId.get(id);
    meanings.set(name, compiled ?? Object.freeze({ ...UNKNOWN, candidates }));
  }
  for (const [id, method] of methods) {
    if (!meanings.has(id)) meanings.set(id, compile(endorsement, method, -1, sinkOf(method.clearances)));
  }
  return meanings;
}

function compile(rules: EndorsementRules, tool: Tool, number: number, sink: Sink | null): CompiledName {
  const isCompared = tool.to !== null || tool.critical.length > 0 || needsEndorsement(rules, tool);
  return Object.freeze({ tool, candidates: NONE, number, sink, isCompared });
}

/**
 * The tool that a name means. A name that nothing declares may still match a pattern: one of the agent's own
 * tools, or a tool of a server whose list isn't known.
 */
export function lookUp(policy: Policy, name: string): LookUp {
  const { tool, candidates } = findName(policy, name);
  return { tool, candidates };
}

/** The same as `lookUp`, with the tool's number. */
export const findName = (policy: Policy, name: string): CompiledName =>
  policy.meanings.get(name) ?? findUnlisted(policy, name);

function findUnlisted(policy: Policy, name: string): CompiledName {
  const { declaration, offered } = policy.origin;
  const { server } = parseToolId(name);
  const prefix = name.slice(0, Math.max(0, name.indexOf("__")));
  if (server === null && isConfigured(declaration, prefix)) return UNKNOWN;
  const unlisted =
    server === null ? !name.startsWith("mcp__") : isConfigured(declaration, server) && !offered.has(server);
  const found = unlisted ? classifyByPattern(declaration, name) : undefined;
  return found ? compileUnlisted(policy, defineTool(policy.lattice, name, name, found)) : UNKNOWN;
}

const compileUnlisted = ({ lattice, names, endorsement }: Policy, tool: Tool): CompiledName =>
  compile(endorsement, tool, -1, tool.clearances && new Sink(lattice, tool.clearances, names));

/** Why a tool is unavailable in a role (or, with null, by anybody); empty if it is. */
export function removalsFor(policy: Policy, role: Role | null, tool: Tool): readonly RoleRemoval[] {
  const removals = (role ?? policy).removed.get(tool.id);
  if (removals !== undefined) return removals;
  if (policy.tools.has(tool.id)) return NONE;
  const { limits } = policy.origin;
  return role ? roleRemovalsOf(limits, role, tool, policy.names) : removalsOf(limits, tool, policy.names);
}

/**
 * The tool that was probably meant by a name which means nothing: of the same server, or of the agent's own, and not one
 * of those that have been named rightly besides.
 */
export function suggestTool(policy: Policy, name: string, besides: ReadonlySet<string>): string | undefined {
  const { tool, candidates } = lookUp(policy, name);
  if (tool !== null || candidates.length > 0) return undefined;
  const { server } = parseToolId(name);
  const others = [...policy.tools.values()].filter((one) => one.server === server && !besides.has(one.id));
  return nearMiss(
    name,
    others.map(({ id }) => id),
  );
}
