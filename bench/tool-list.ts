/** What a session with very many tools costs when its tools are listed and its manifest is written. */
import {
  definePolicy,
  initialState,
  manifest,
  type Permission,
  planningPrompt,
  type ToolDeclaration,
  visibleTools,
} from "../src/core/index.ts";
import { atMost, type Benchmark } from "./benchmark.ts";
import { compareCpu, medianOf, repeated } from "./measure.ts";
import { LEVELS } from "./tables.ts";

const TOOLS = 10_000;
const TEAMS = 8;

/** Sources and sinks of 4 levels and 8 categories, in all mixtures. */
function declareTool(at: number): ToolDeclaration {
  const label = {
    level: LEVELS[(at >> 2) % LEVELS.length] ?? "public",
    categories: at % 3 === 0 ? [`team${(at >> 4) % TEAMS}`] : [],
  };
  const permissions: readonly Permission[] = at % 4 === 3 ? ["write"] : ["read"];
  return {
    permissions,
    ...((at & 1) === 0 && { source: label }),
    ...((at & 2) === 2 && { sink: [label] }),
  };
}

export const toolList: Benchmark = {
  name: "tool-list",
  title: "the tools and the manifest of a session with 10,000 tools, CPU time",
  run: async ({ quick }) => {
    const tools = Object.fromEntries(
      Array.from({ length: TOOLS }, (_, at) => [`tool_${at}`, declareTool(at)]),
    );
    const policy = definePolicy({ levels: LEVELS, servers: { many: { tools } } });
    const state = initialState(policy.lattice);
    const visible = visibleTools(policy, state);
    if (visible.length !== TOOLS) throw new Error(`Only ${visible.length} tools are visible.`);
    const samples = compareCpu(
      [
        { name: "list", run: repeated(() => visibleTools(policy, state)) },
        { name: "manifest", run: repeated(() => manifest(state, visible)) },
        { name: "prompt", run: repeated(() => planningPrompt(state, visible)) },
      ],
      { rounds: quick ? 3 : 11, sampleMs: quick ? 5 : 60 },
    );
    const inMs = (name: string): number => medianOf(samples, name) / 1e6;
    return [
      { what: "tools that the session sees", value: inMs("list"), unit: "ms", budget: atMost(5) },
      { what: "manifest of these tools", value: inMs("manifest"), unit: "ms", budget: atMost(5) },
      { what: "planning constraint of these tools", value: inMs("prompt"), unit: "ms" },
    ];
  },
};
