/** A changed policy that is said to widen nothing allows nothing more: on random policies, changes and calls. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  apply,
  decide,
  initialState,
  lookUp,
  type Policy,
  type PolicyDeclaration,
  type ToolDeclaration,
  type ToolPolicy,
  widenings,
} from "../../src/core/index.ts";
import { anyCases, CASES, type Case, MEETS_RARE, oneOf, toPolicy, type World } from "./generators.ts";

/** A change of one tool, which may narrow, widen or neither. */
type Change = { readonly [Key in keyof ToolDeclaration]?: ToolDeclaration[Key] | undefined };

const anyChange: fc.Arbitrary<Change> = oneOf<Change>(
  {},
  { approval: "always" },
  { approval: "never" },
  { approval: undefined },
  { permissions: ["read", "write", "connect"] },
  { permissions: [] },
  { source: undefined },
  { source: { level: "*", categories: ["*"] } },
  { sink: undefined },
  { sink: [{}] },
  { onViolation: "ask" },
  { onViolation: "deny" },
  { critical: ["n"] },
  { critical: undefined },
  { payload: ["n"] },
  { payload: undefined },
  { to: ["n"] },
  { to: undefined },
  { tags: ["t"] },
  { isDestructive: false },
  { isDestructive: true },
);

const anyOtherChange: fc.Arbitrary<(declaration: PolicyDeclaration) => PolicyDeclaration> = oneOf<
  (declaration: PolicyDeclaration) => PolicyDeclaration
>(
  (declaration) => declaration,
  (declaration) => declaration,
  (declaration) => declaration,
  ({ rules, ...declaration }) => ({ ...declaration, ...(rules && { rules: rules.slice(1) }) }),
  ({ policy, ...declaration }) => declaration,
  ({ policy, ...declaration }) => ({ ...declaration, policy: { ...policy, deniedTools: [] } as ToolPolicy }),
  ({ policy, ...declaration }) => ({
    ...declaration,
    policy: { ...policy, deniedTools: [...(policy?.deniedTools ?? []), "search"] },
  }),
  ({ policy, ...declaration }) => ({ ...declaration, policy: { ...policy, requireTags: ["t"] } }),
  ({ unclassified, ...declaration }) => ({ ...declaration, unclassified: "ask" }),
  ({ unclassified, ...declaration }) => ({ ...declaration, unclassified: "withhold" }),
  ({ endorsement, ...declaration }) => ({ ...declaration, endorsement: "strict" }),
  ({ tools = {}, ...declaration }) => ({
    ...declaration,
    tools: Object.fromEntries(Object.entries(tools).slice(1)),
  }),
  ({ roles = {}, ...declaration }) => ({
    ...declaration,
    roles: Object.fromEntries(Object.entries(roles).slice(1)),
  }),
);

const changed = (tool: ToolDeclaration, change: Change): ToolDeclaration =>
  Object.fromEntries(
    Object.entries({ ...tool, ...change }).filter(([, value]) => value !== undefined),
  ) as unknown as ToolDeclaration;

/** The same world with some of its tools changed; null where that is no policy. */
function changeWorld(
  world: World,
  changes: readonly Change[],
  other: (declaration: PolicyDeclaration) => PolicyDeclaration,
): Policy | null {
  let at = 0;
  const each = (tools: Readonly<Record<string, ToolDeclaration>> = {}) =>
    Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [
        name,
        changed(tool, changes[at++ % changes.length] ?? {}),
      ]),
    );
  const { servers = {}, tools = {} } = world.declaration;
  const under = Object.entries(servers).map(([id, server]) => [id, { ...server, tools: each(server.tools) }]);
  const declaration = other({ ...world.declaration, servers: Object.fromEntries(under), tools: each(tools) });
  try {
    return toPolicy({ ...world, declaration });
  } catch {
    return null;
  }
}

const RANK = { deny: 0, ask: 1, allow: 2 } as const;

const effectOf = (policy: Policy, { events, facts, arguments: args }: Case, tool: string): number => {
  const state = events.reduce((sofar, event) => apply(sofar, event, ""), initialState(policy.lattice));
  return RANK[decide(policy, state, { tool, ...(args && { arguments: args }) }, facts).effect];
};

it("misses nothing that a changed policy allows beyond the one before (X26)", { timeout: 3_600_000 }, () => {
  const count = { same: 0, narrower: 0, wider: 0, told: 0 };
  const check = (
    { world, cases }: { world: World; cases: readonly Case[] },
    changes: readonly Change[],
    other: (declaration: PolicyDeclaration) => PolicyDeclaration,
  ): void => {
    const [before, after] = [toPolicy(world), changeWorld(world, changes, other)];
    if (after === null) return;
    const told = widenings(before, after);
    for (const one of cases) {
      // Whatever the name meant before: the tool that it means now was to be had by its identity.
      const id = lookUp(after, one.tool).tool?.id ?? one.tool;
      const [was, is] = [effectOf(before, one, id), effectOf(after, one, one.tool)];
      count[was === is ? "same" : was > is ? "narrower" : "wider"] += 1;
      if (is > was && told.length === 0) expect({ one, after: is, before: was, told }).toBeNull();
    }
    if (told.length > 0) count.told += 1;
  };
  fc.assert(
    fc.property(anyCases(20), fc.array(anyChange, { minLength: 1, maxLength: 4 }), anyOtherChange, check),
    { numRuns: Math.max(100, CASES / 4) },
  );
  // Each kind of change was met, or the property says nothing.
  if (MEETS_RARE) for (const met of Object.values(count)) expect(met).toBeGreaterThan(0);
});
