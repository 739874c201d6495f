/** Scenario files, each played through the library, REST, MCP of both eras and the adapters, and compared word for word. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aiSdk } from "../../adapters/ai-sdk-driver.ts";
import { claudeAgent } from "../../adapters/claude-agent-driver.ts";
import { functions } from "../../adapters/functions-driver.ts";
import { langchain } from "../../adapters/langchain-driver.ts";
import { mcpClient } from "../../adapters/mcp-client-driver.ts";
import { openaiAgents } from "../../adapters/openai-agents-driver.ts";
import { type RunningGateway, startGateway } from "../running-gateway.ts";
import { createAdapterHost } from "./adapter-door.ts";
import { type Door, SCENARIO_POLICY } from "./door.ts";
import { createHookDoor, toHookScenario, toHookTranscript } from "./hook-door.ts";
import { type LibraryDoor, openLibraryDoor } from "./library-door.ts";
import { createMcpDoor } from "./mcp-door.ts";
import { createRestDoor } from "./rest-door.ts";
import {
  play,
  SCENARIOS,
  type Scenario,
  type Seen,
  type Step,
  type Transcript,
  withoutUntold,
  withoutValues,
} from "./transcript.ts";

let gate: RunningGateway;
let library: LibraryDoor;
let adapters: readonly (Door & { close(): Promise<void> })[];
let doors: ReadonlyMap<string, Door>;
let closeMcp: () => Promise<unknown>;

const MCP = [{ era: "2025-11-25" }, { era: "2026-07-28" }, { era: "2025-11-25", over: "stdio" }] as const;
const ADAPTERS = [aiSdk("the AI SDK", false), openaiAgents, claudeAgent, langchain, mcpClient, functions];

beforeAll(async () => {
  [gate, library] = await Promise.all([startGateway({ policy: SCENARIO_POLICY }), openLibraryDoor()]);
  const mcp = MCP.map((options) => createMcpDoor(gate, options));
  closeMcp = () => Promise.all(mcp.map((door) => door.close()));
  doors = new Map([createRestDoor(gate), ...mcp].map((door) => [door.name, door]));
  adapters = await Promise.all(ADAPTERS.map((adapter) => openLibraryDoor(createAdapterHost(adapter))));
});
afterAll(async () => {
  await closeMcp();
  await Promise.all([gate.stop(), library.close(), ...adapters.map((door) => door.close())]);
});

const played = new Map<Scenario, Promise<Transcript>>();
/** Each scenario is played once in the library, and every door is held against that. */
function inLibrary(scenario: Scenario): Promise<Transcript> {
  const known = played.get(scenario) ?? play(library, scenario);
  played.set(scenario, known);
  return known;
}

/** Plays a scenario behind a door that leaves these decisions untold, and holds it against the library. */
async function expectSame(door: Door, scenario: Scenario, untold: "allowed" | "all"): Promise<void> {
  const both = await Promise.all([inLibrary(scenario), play(door, scenario)]);
  const [expected, told] = both.map((one) => withoutValues(one, scenario, untold === "all")) as typeof both;
  expect(told).toEqual(withoutUntold(expected, told, untold));
}

const doorNamed = (name: string): Door => {
  const door = doors.get(name);
  if (door === undefined) throw new Error(`There is no door ${name}.`);
  return door;
};

/** What a scenario's author expects of a step; what it doesn't say is not compared. */
function assertExpected(step: Step, { plan, answers, state }: Seen): void {
  if (step.valid !== undefined) expect(plan.valid).toBe(step.valid);
  if (step.lease && step.effect) expect(plan.effect).toBe(step.effect);
  if (step.order !== undefined) expect(plan.safe_ordering).toEqual(step.order);
  if (step.level !== undefined) expect(state.label.level).toBe(step.level);
  if (step.decide) expect(answers?.map(({ effect }) => effect)).toEqual(step.expect);
  else if (step.expect === "allow") expect(answers?.[0]?.effect).toBe("allow");
  else if (step.expect) {
    expect(answers?.[0]?.effect).toBe(step.effect ?? "deny");
    expect(answers?.[0]?.decision.reasons.map(({ code }: { code: string }) => code)).toEqual(step.expect);
  }
}

describe.each(SCENARIOS)("the scenario of $name", (scenario) => {
  it("comes out in the library as its author says", async () => {
    const { seen } = await inLibrary(scenario);
    for (const [index, step] of scenario.steps.entries())
      assertExpected(step, seen[index] ?? { step: -1, state: null });
  });

  it.each([
    "REST",
    "MCP 2025-11-25",
    "MCP 2026-07-28",
    "MCP 2025-11-25 over stdio",
  ])("comes out over %s word for word as in the library (law-10)", async (name) => {
    await expectSame(doorNamed(name), scenario, "allowed");
  });

  it.each(
    ADAPTERS.map(({ name }) => name),
  )("comes out through the adapter for %s word for word as in the library (law-10)", async (name) => {
    const door = adapters.find((one) => one.name === name) as Door; // It is one of them.
    // What was decided stands in the journal; a model is told the sentences alone.
    await expectSame(door, scenario, "all");
  });
});

it("comes out through the hook of a coding agent word for word as in the library, where it can be carried (law-10)", async () => {
  const { policy, providers } = library;
  const carried = SCENARIOS.flatMap((scenario) => toHookScenario(scenario, policy) ?? []);
  const names = new Set(carried.map(({ name }) => name));
  expect(SCENARIOS.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([
    "a batch, decided in the order given",
    "a session that its operator resets",
    "a call that a person changes while approving it",
    "what the user says once untrusted content is in",
    "a session that sees some tools only",
    "a plan that is approved once",
    "plans of every kind",
    "arguments that a tool's schema doesn't name",
  ]);
  const door = createHookDoor(policy, providers);
  for (const scenario of carried) {
    const both = await Promise.all([play(library, scenario), play(door, scenario)]);
    const [expected, told] = both.map((one) => withoutValues(one, scenario, true)) as typeof both;
    const same = withoutUntold(toHookTranscript(expected), told, "all");
    expect({ scenario: scenario.name, ...told }).toEqual({ scenario: scenario.name, ...same });
  }
});

it("tells every decision over REST, and every refusal over MCP (law-10)", async () => {
  const scenario = SCENARIOS.find(({ name }) => name.startsWith("mail, then")) as Scenario; // It is a file here.
  for (const [name, door] of doors) {
    const { seen } = await play(door, scenario);
    const silent = seen.flatMap(({ answers = [] }) => answers).filter(({ decision }) => decision === null);
    expect([name, silent.filter(({ effect }) => effect !== "allow")]).toEqual([name, []]);
    if (name === "REST") expect(silent).toEqual([]);
  }
});
