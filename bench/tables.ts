/** Policies of any size, and the bare table that does as little as can be done for the same answers. */
import {
  apply,
  createLabel,
  definePolicy,
  initialState,
  type Policy,
  type SessionState,
  type ToolDeclaration,
} from "../src/core/index.ts";

export const LEVELS = ["public", "internal", "confidential", "secret"];
export const ROLES = Array.from({ length: 8 }, (_, role) => `role${role}`);

/** One tool as bits and numbers. */
export interface BareTool {
  /** A bit per role that has it. */
  readonly roles: number;
  /** The highest level that it may receive; above them all where it sends nothing out. */
  readonly clearance: number;
}

export interface World {
  readonly policy: Policy;
  readonly bare: ReadonlyMap<string, BareTool>;
  readonly names: readonly string[];
}

const nameOf = (at: number): string => `tool_${at}`;
const hasRole = (at: number, role: number): boolean => ((at * 2654435761) >>> (role + 8)) % 2 === 1;
const clearanceOf = (at: number): number => (at % 2 === 0 ? LEVELS.length : ((at - 1) / 2) % LEVELS.length);

/** So many tools on ten servers: every second one is a sink; each role has about half of them. */
export function createWorld(tools: number): World {
  const servers = Array.from({ length: 10 }, (): Record<string, ToolDeclaration> => ({}));
  const bare = new Map<string, BareTool>();
  for (let at = 0; at < tools; at += 1) {
    const clearance = clearanceOf(at);
    const level = LEVELS[clearance];
    const declared: ToolDeclaration =
      level === undefined
        ? { permissions: ["read"], source: { level: LEVELS[at % LEVELS.length] ?? "public" } }
        : { permissions: ["connect"], sink: [{ level }] };
    Object.assign(servers[at % servers.length] ?? {}, { [nameOf(at)]: declared });
    const roles = ROLES.reduce((bits, _, role) => (hasRole(at, role) ? bits | (1 << role) : bits), 0);
    bare.set(nameOf(at), { roles, clearance });
  }
  const names = [...bare.keys()];
  const roles = ROLES.map((role, index) => [role, { tools: names.filter((_, at) => hasRole(at, index)) }]);
  const policy = definePolicy({
    levels: LEVELS,
    servers: Object.fromEntries(servers.map((tools, at) => [`server${at}`, { tools }])),
    roles: Object.fromEntries(roles),
  });
  return { policy, bare, names };
}

/** A session of a role that holds data of a level, brought in by one call. */
export function sessionAt(policy: Policy, role: string, level: string): SessionState {
  const { lattice } = policy;
  const label = createLabel(level, [], lattice.trust.at(-1) ?? "");
  const opened = apply(
    initialState(lattice),
    { kind: "session-opened", principal: "bench", role, tools: null, task: false },
    "",
  );
  return apply(
    opened,
    {
      kind: "call-admitted",
      call: "call_1",
      tool: "mcp__server0__tool_0",
      arguments: "",
      source: label,
      dataset: "server0",
      label,
    },
    "",
  );
}

/** Numbers from 0 to 1 that are the same in every run (Mulberry32). */
export function createDraw(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
