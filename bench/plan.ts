/** The plan check against a sort and one pass: linear, and complete. */
import {
  checkPlan,
  definePolicy,
  initialState,
  type Policy,
  type SessionState,
  type ToolDeclaration,
} from "../src/core/index.ts";
import { atMost, type Benchmark, type Figure } from "./benchmark.ts";
import { type Contender, compareCpu, medianOf, ratioOf, repeated, type Samples } from "./measure.ts";
import { createDraw, LEVELS } from "./tables.ts";

const TOOLS = [10, 100, 1000];
const CALLS = [10, 100, 1000];

/** A tool as numbers: the level that it brings in (−1: none), and the highest that it may receive. */
interface BareTool {
  readonly source: number;
  readonly clearance: number;
}

interface World {
  readonly policy: Policy;
  readonly state: SessionState;
  readonly bare: ReadonlyMap<string, BareTool>;
}

/** A third sources, a third sinks, a third neither. */
function createWorld(count: number): World {
  const bare = new Map<string, BareTool>();
  const tools: Record<string, ToolDeclaration> = {};
  for (let at = 0; at < count; at += 1) {
    const level = Math.floor(at / 3) % LEVELS.length;
    const declared = { level: LEVELS[level] ?? "public" };
    tools[`tool_${at}`] = {
      permissions: ["read"],
      ...(at % 3 === 0 && { source: declared }),
      ...(at % 3 === 1 && { sink: [declared] }),
    };
    bare.set(`tool_${at}`, {
      source: at % 3 === 0 ? level : -1,
      clearance: at % 3 === 1 ? level : LEVELS.length,
    });
  }
  const policy = definePolicy({ levels: LEVELS, tools });
  return { policy, state: initialState(policy.lattice), bare };
}

/** Sinks with several clearances each, all different, and as many sources: the hard case of the search. */
function createHardWorld(teams: number): World {
  const tools: Record<string, ToolDeclaration> = {};
  for (let at = 0; at < teams; at += 1) {
    tools[`source_${at}`] = { permissions: ["read"], source: { categories: [`team${at}`] } };
    tools[`sink_${at}`] = {
      permissions: ["read"],
      sink: [1, 2].map((step) => ({ level: "public", categories: [`team${(at + step) % teams}`] })),
    };
  }
  const policy = definePolicy({ levels: LEVELS, tools });
  return { policy, state: initialState(policy.lattice), bare: new Map() };
}

function drawCalls(names: readonly string[], count: number): readonly string[] {
  const draw = createDraw(count);
  return Array.from({ length: count }, () => names[Math.floor(draw() * names.length)] ?? "");
}

/** The bound: calls sorted so that what may receive least comes first, then one pass that finds violations. */
function sortAndPass(bare: ReadonlyMap<string, BareTool>, calls: readonly string[]): unknown {
  const sorted = calls
    .map((name, at) => ({ name, at, tool: bare.get(name) ?? { source: -1, clearance: -1 } }))
    .sort((left, right) => left.tool.clearance - right.tool.clearance || left.at - right.at);
  const violations: { readonly at: number; readonly tool: string }[] = [];
  let level = 0;
  for (const { name, at, tool } of sorted) {
    if (level > tool.clearance) violations.push({ at, tool: name });
    else if (tool.source > level) level = tool.source;
  }
  return { sorted, violations };
}

const nameOf = (engine: string, tools: number, calls: number): string => `${engine} ${tools} ${calls}`;

function contendersAt(tools: number): readonly Contender[] {
  const { policy, state, bare } = createWorld(tools);
  return CALLS.flatMap((count) => {
    const calls = drawCalls([...bare.keys()], count);
    if (checkPlan(policy, state, calls).safeOrdering?.length !== count) throw new Error("No order is safe.");
    return [
      {
        name: nameOf("check", tools, count),
        run: repeated(() => checkPlan(policy, state, calls)),
      },
      { name: nameOf("bound", tools, count), run: repeated(() => sortAndPass(bare, calls)) },
    ];
  });
}

function hardContenders(): readonly Contender[] {
  const { policy, state } = createHardWorld(HARD_TEAMS);
  return CALLS.slice(1).map((count) => {
    const calls = drawCalls([...policy.tools.keys()], count);
    return {
      name: nameOf("hard", HARD_TEAMS, count),
      run: repeated(() => checkPlan(policy, state, calls)),
    };
  });
}

const HARD_TEAMS = 50;

export const plan: Benchmark = {
  name: "plan",
  title: "the plan check with its safe order against a sort and one pass, CPU time",
  run: async ({ quick, progress }) => {
    progress("plans of 10, 100 and 1,000 calls over 10, 100 and 1,000 tools");
    const samples = compareCpu(TOOLS.flatMap(contendersAt), {
      rounds: quick ? 3 : 11,
      sampleMs: quick ? 3 : 40,
    });
    progress("plans whose sinks have several clearances");
    const hard = compareCpu(hardContenders(), { rounds: quick ? 1 : 3, sampleMs: quick ? 1 : 40 });
    return [...TOOLS.flatMap((tools) => figuresOf(samples, tools)), ...hardFigures(hard)];
  },
};

function figuresOf(samples: Samples, tools: number): readonly Figure[] {
  const check = (calls: number): string => nameOf("check", tools, calls);
  const over = `over ${tools.toLocaleString("en-US")} tools`;
  return [
    ...CALLS.map(
      (calls): Figure => ({
        what: `${calls.toLocaleString("en-US")} calls ${over}`,
        value: medianOf(samples, check(calls)) / 1000,
        unit: "µs",
      }),
    ),
    {
      what: `1,000 calls ${over}: against a sort and one pass`,
      value: ratioOf(samples, check(1000), nameOf("bound", tools, 1000)),
      unit: "×",
      ...(tools === 1000 && { budget: atMost(3) }),
    },
    {
      what: `1,000 calls ${over}: against 100 calls`,
      value: ratioOf(samples, check(1000), check(100)),
      unit: "×",
      ...(tools === 1000 && { budget: atMost(13) }),
    },
  ];
}

function hardFigures(samples: Samples): readonly Figure[] {
  const name = (calls: number): string => nameOf("hard", HARD_TEAMS, calls);
  const over = `over ${HARD_TEAMS} sinks of several clearances`;
  return [
    ...CALLS.slice(1).map(
      (calls): Figure => ({
        what: `${calls.toLocaleString("en-US")} calls ${over}`,
        value: medianOf(samples, name(calls)) / 1e6,
        unit: "ms",
      }),
    ),
    {
      what: `1,000 calls ${over}: against 100 calls`,
      value: ratioOf(samples, name(1000), name(100)),
      unit: "×",
      budget: atMost(13, "goal"),
    },
  ];
}
