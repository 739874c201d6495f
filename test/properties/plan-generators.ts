/** Random sessions and plans over few tools, which bring labels in and send them out in many ways. */
import fc from "fast-check";
import type {
  Facts,
  Label,
  Lattice,
  Permission,
  PlannedCall,
  PolicyDeclaration,
  SessionEvent,
  ToolDeclaration,
} from "../../src/core/index.ts";
import {
  anyApproval,
  anyFixedRules,
  anyHistoryIn,
  anyLabelDeclarationIn,
  anyLabelIn,
  anyLattice,
  anyPermissions,
  anySinkIn,
  anyToolPolicy,
  compact,
  type In,
  maybe,
  oneOf,
  seldom,
  upTo,
  type World,
} from "./generators.ts";

/** A session and plans for it, over few tools that bring labels in and send them out in many ways. */
export interface PlanWorld {
  readonly world: World;
  readonly events: readonly SessionEvent[];
  readonly facts: Facts;
  readonly plans: readonly (readonly PlannedCall[])[];
}

const anyPlanToolIn: fc.Arbitrary<In<ToolDeclaration>> = fc
  .tuple(
    seldom(3, fc.constant(undefined), anyLabelDeclarationIn),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 4, arbitrary: fc.tuple(anySinkIn) },
      { weight: 3, arbitrary: upTo(3, anySinkIn, 2) },
    ),
    seldom(5, anyApproval, fc.constant(undefined)),
    seldom(6, fc.constant("ask" as const), fc.constant(undefined)),
    seldom(6, fc.constant<Permission[]>(["connect"]), fc.constant<Permission[]>([])),
    oneOf("most" as const, undefined),
  )
  .map(
    ([source, sink, approval, onViolation, permissions, sourceBound]) =>
      (lattice) =>
        compact({
          permissions,
          source: source?.(lattice),
          sink: sink?.map((one) => one(lattice)),
          approval,
          onViolation,
          sourceBound,
        }),
  );

/** A call as it is drawn: which tool, its rank in a hidden order, and which of the others it comes after. */
const anyPlanCall = fc.record({
  tool: fc.nat(99),
  rank: fc.nat(99),
  after: fc.nat(127),
  named: fc.nat(3),
  odd: fc.nat(199),
  source: maybe(anyLabelIn),
});

type DrawnCall = { readonly [part in "tool" | "rank" | "after" | "named" | "odd"]: number } & {
  readonly source: In<Label> | undefined;
};

/** How a plan's `after` edges lie: few or many along the hidden order, or anywhere, with circles. */
type Edges = "sparse" | "dense" | "wild";

/** Mostly sound, with now and then an unknown tool, an unknown or a repeated id. */
function toPlan(
  lattice: Lattice,
  tools: readonly string[],
  drawn: readonly DrawnCall[],
  edges: Edges,
): readonly PlannedCall[] {
  const ids = drawn.map(({ odd }, at) => (odd === 1 ? "c0" : `c${at}`));
  const isAfter = (call: DrawnCall, other: DrawnCall, index: number): boolean => {
    const wanted = (call.after >> index) & (edges === "dense" ? 1 : call.after >> ((index + 3) % 7)) & 1;
    return wanted === 1 && other.named > 0 && (edges === "wild" || other.rank < call.rank);
  };
  return drawn.map((call, at) => {
    const tool = call.odd === 0 ? "nowhere" : (tools[call.tool % tools.length] ?? "nowhere");
    const before = ids.filter((_, index) => isAfter(call, drawn[index] ?? call, index));
    const after = call.odd === 2 ? [...before, "nobody"] : before;
    if (call.named === 0) return tool;
    const args = call.odd % 4 === 1 ? { n: call.odd % 3 } : null;
    return {
      tool,
      id: `${ids[at]}`,
      ...(after.length > 0 && { after }),
      ...(args && { arguments: args }),
      ...(call.source && { source: call.source(lattice) }),
    };
  });
}

const anyEdges = fc.oneof(
  { weight: 5, arbitrary: oneOf<Edges>("sparse") },
  { weight: 4, arbitrary: oneOf<Edges>("dense") },
  { weight: 1, arbitrary: oneOf<Edges>("wild") },
);

export const anyPlans = (most: number): fc.Arbitrary<PlanWorld> =>
  fc
    .record({
      lattice: anyLattice,
      tools: upTo(6, anyPlanToolIn, 2),
      start: seldom(
        3,
        anyHistoryIn,
        fc.constant((): readonly SessionEvent[] => []),
      ),
      limits: seldom(12, fc.tuple(anyToolPolicy), fc.constant([])),
      granted: seldom(12, anyPermissions, fc.constant(undefined)),
      rules: anyFixedRules,
      plans: upTo(most, fc.tuple(upTo(7, anyPlanCall), anyEdges), 1),
    })
    .map(({ lattice, tools, start, limits, granted, rules, plans }) => {
      const named = tools.map((tool, index) => [`p${index}`, tool(lattice)] as const);
      const declaration = compact<PolicyDeclaration>({ ...lattice, tools: Object.fromEntries(named), rules });
      const names = named.map(([name]) => name);
      return {
        world: { declaration, offered: new Map(), limits },
        events: start(lattice),
        facts: compact({ granted }),
        plans: plans.map(([drawn, edges]) => toPlan(lattice, names, drawn, edges)),
      };
    });
