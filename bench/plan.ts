/** The plan check with its safe order. */
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

interface World {
  readonly policy: Policy;
  readonly state: SessionState;
}

/** A third sources, a third sinks, a third neither. */
function createWorld(count: number): World {
  const tools: Record<string, ToolDeclaration> = {};
  for (let at = 0; at < count; at += 1) {
    const level = Math.floor(at / 3) % LEVELS.length;
    const declared = { level: LEVELS[level] ?? "public" };
    tools[`tool_${at}`] = {
      permissions: ["read"],
      ...(at % 3 === 0 && { source: declared }),
      ...(at % 3 === 1 && { sink: [declared] }),
    };
  }
  const policy = definePolicy({ levels: LEVELS, tools });
  return { policy, state: initialState(policy.lattice) };
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
  return { policy, state: initialState(policy.lattice) };
}

function drawCalls(names: readonly string[], count: number): readonly string[] {
  const draw = createDraw(count);
  return Array.from({ length: count }, () => names[Math.floor(draw() * names.length)] ?? "");
}

const nameOf = (engine: string, tools: number, calls: number): string => `${engine} ${tools} ${calls}`;

function contendersAt(tools: number): readonly Contender[] {
  const { policy, state } = createWorld(tools);
  return CALLS.map((count) => {
    const calls = drawCalls([...policy.tools.keys()], count);
    if (checkPlan(policy, state, calls).safeOrdering?.length !== count) throw new Error("No order is safe.");
    return { name: nameOf("check", tools, count), run: repeated(() => checkPlan(policy, state, calls)) };
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
  title: "the plan check with its safe order, CPU time",
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
        value: medianOf(samples, check(calls)) / 1e6,
        unit: "ms",
        ...(tools === 1000 && calls === 1000 && { budget: atMost(10) }),
      }),
    ),
    {
      what: `1,000 calls ${over}: against 100 calls`,
      value: ratioOf(samples, check(1000), check(100)),
      unit: "×",
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
