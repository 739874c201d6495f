/**
 * Drift detection: compares a role's tool set, its prompt, and what a session in that role can really see and call.
 * For tests, which expect an empty list.
 */
import {
  isPattern,
  listNames,
  matchesToolId,
  type Policy,
  parseToolId,
  quoteName,
  type Tool,
  toToolId,
  WORKSPACE_SERVER,
} from "../../core/index.ts";
import { createGate, type Session } from "../../runtime/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { idsOf } from "../provider-tools.ts";
import { type Claim, claimsIn } from "./prompt-claims.ts";
import { hostOf, type RoleAgent } from "./role-agent.ts";
import type { RoleHost } from "./role-host.ts";

/** Two contradicting statements about a role: its `set` against its `prompt`, its `policy`, or its `permissions`. */
export interface RoleDisagreement {
  readonly about: "prompt" | "policy" | "permissions";
  /** The tool concerned, as it was named. */
  readonly tool?: string;
  readonly message: string;
}

/**
 * Every disagreement of an agent's tool set, its prompt and its effective permissions; empty if there is none. It
 * opens a session in memory, so nothing is written where the agent works.
 */
export async function checkRoleAgent(agent: RoleAgent<never>): Promise<readonly RoleDisagreement[]> {
  const host = hostOf(agent);
  const standing = await standingOf(host);
  return [
    ...promptAgainstSet(agent.systemPrompt, host),
    ...setAgainstPolicy(agent.name, host, standing),
    ...policyAgainstSet(host, standing),
    ...permissionsAgainstTools(host, standing),
  ];
}

/** What the policy leaves in a session like those of the agent's runs. */
interface Standing {
  /** What a run sees. */
  readonly effective: readonly Tool[];
  /** What the session sees without the agent's own restrictions. */
  readonly all: readonly Tool[];
  /** Why the session lacks a tool. */
  readonly why: (id: string) => string;
}

async function standingOf(host: RoleHost): Promise<Standing> {
  const { shared, gate, role } = host;
  if (shared !== null) return lookInto(shared, host, new Map());
  if (gate === null) return { effective: [], all: [], why: () => "The agent has no gate." };
  const probe = createGate({ policy: gate.policy, store: createMemoryStore() });
  const session = await probe.open(role === null ? {} : { role });
  const names = [...host.identities].filter((id) => !isPattern(id));
  const reasons = await Promise.all(names.map(async (id) => [id, await whyNot(session, id)] as const));
  const standing = await lookInto(session, host, new Map(reasons));
  await probe.close();
  return standing;
}

async function lookInto(
  session: Session,
  host: RoleHost,
  why: ReadonlyMap<string, string>,
): Promise<Standing> {
  const limits = { tools: providedBy(host), toolPolicies: [{ allowedTools: host.identities }] };
  const effective = await session.run(limits, (view) => view.tools);
  return { effective, all: session.tools, why: (id) => why.get(id) ?? "Its session doesn't have it." };
}

/** Everything that can be run. */
function providedBy({ workspace, tools, servers }: RoleHost): readonly string[] {
  const files = [...(workspace?.tools.keys() ?? [])].filter((name) => tools.has(name));
  return [...files.map((name) => toToolId(workspace?.id ?? WORKSPACE_SERVER, name)), ...idsOf(servers)];
}

async function whyNot(session: Session, tool: string): Promise<string> {
  const { effect, reasons } = await session.preview({ tool });
  const against = reasons.filter(({ code }) => code !== "approval-required");
  return effect === "deny"
    ? against.map(({ message }) => message).join(" ")
    : "Nothing that the agent was given offers it.";
}

function promptAgainstSet(prompt: string, { tools }: RoleHost): readonly RoleDisagreement[] {
  const names = [...tools];
  const has = (tool: string): boolean =>
    tools.has(tool) ||
    names.some((name) => name === tool || (name.startsWith("mcp__") && matchesToolId(name, tool)));
  return claimsIn(prompt).flatMap((claim) => {
    const message = contradiction(claim, names, has);
    if (message === null) return [];
    return [{ about: "prompt" as const, ...(claim.kind === "tool" && { tool: claim.tool }), message }];
  });
}

function contradiction(
  claim: Claim,
  names: readonly string[],
  has: (tool: string) => boolean,
): string | null {
  switch (claim.kind) {
    case "no-tools":
      return names.length === 0
        ? null
        : `The prompt says that there are no tools, and the agent has ${listNames(names)}.`;
    case "tool":
      return has(claim.tool)
        ? null
        : `The prompt speaks of ${quoteName(claim.tool)}, and the agent doesn't have it.`;
    case "ability":
      // What a server's tools can do isn't known here.
      return claim.tools.some(has) || names.some((name) => parseToolId(name).server !== null)
        ? null
        : `The prompt says that the agent can ${claim.ability} ("${claim.said}"), and none of its tools can.`;
  }
}

function setAgainstPolicy(
  agent: string,
  { identities, tools }: RoleHost,
  { effective, why }: Standing,
): readonly RoleDisagreement[] {
  const names = [...tools];
  return identities.flatMap((id, index) => {
    const tool = names[index] ?? id;
    if (effective.some((one) => one.id === id || (isPattern(id) && matchesToolId(id, one.id)))) return [];
    const reason = isPattern(id) ? "No tool that is offered and classified matches it." : why(id);
    return [
      {
        about: "policy" as const,
        tool,
        message: `The agent \`${agent}\` has ${quoteName(tool)} in its set, and can't call it. ${reason}`,
      },
    ];
  });
}

/** The policy's role is for this agent alone, so nobody needs its other tools. */
function policyAgainstSet(
  { role, shared }: RoleHost,
  { effective, all }: Standing,
): readonly RoleDisagreement[] {
  if (role === null || shared !== null) return [];
  const seen = new Set(effective.map(({ id }) => id));
  return all
    .filter(({ id }) => !seen.has(id))
    .map(({ name }) => ({
      about: "policy" as const,
      tool: name,
      message: `The role ${quoteName(role)} of the policy has ${quoteName(name)}, and the agent's set doesn't.`,
    }));
}

function permissionsAgainstTools(
  { role, gate, shared }: RoleHost,
  { effective }: Standing,
): readonly RoleDisagreement[] {
  const granted = shared === null && role !== null ? permissionsOf(gate?.policy, role) : [];
  const needed = new Set(effective.flatMap(({ permissions }) => permissions));
  const idle = granted.filter((permission) => !needed.has(permission));
  if (idle.length === 0) return [];
  const message = `The role ${quoteName(role ?? "")} is granted ${listNames(idle)}, which none of the agent's tools needs.`;
  return [{ about: "permissions", message }];
}

const permissionsOf = (policy: Policy | undefined, role: string) =>
  policy?.roles.get(role)?.permissions ?? [];
