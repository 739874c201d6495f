import { expect, it } from "vitest";
import { definePolicy } from "../core/index.ts";
import { createGate } from "../runtime/index.ts";
import { createMemoryStore } from "../stores/index.ts";
import { createPlanner, FixerAgent } from "./index.ts";

const gate = createGate({ policy: definePolicy({ tools: {} }), store: createMemoryStore() });
const session = await gate.open();
// Code without types may say anything; no model is asked.
const model: any = {};
const planner: any = createPlanner({ model, tools: {} });
const agent: any = new FixerAgent({
  model,
  session,
  workspace: { run() {}, watch() {} } as never,
  root: ".",
});

it.each<[string, () => unknown, string]>([
  ["a planner without tools", () => createPlanner({ model } as any), "`tools` is missing."],
  [
    "a planner's tool policy under another name",
    () => createPlanner({ model, tools: {}, polcy: {} } as any),
    "did you mean `policy`?",
  ],
  [
    "a planner's tool policy that takes nothing away",
    () => createPlanner({ model, tools: {}, policy: { denied_tools: ["pay"] } } as any),
    "did you mean `deniedTools`?",
  ],
  [
    "a planner's settings",
    () => createPlanner({ model, tools: {}, settings: { temperatur: 0 } } as any),
    "`settings.temperatur` isn't a known key; did you mean `temperature`?",
  ],
  [
    "a planner's questions",
    () => createPlanner({ model, tools: {}, questions: "once" } as any),
    '`questions` must be `"per-plan"` or `"per-call"`',
  ],
  ["a fork", () => planner.fork({ toolPolicies: [] }), "did you mean `toolPolicy`?"],
  ["a run", () => planner.run({ session, prompt: "x", permission: [] }), "did you mean `permissions`?"],
  ["a run in a gate", () => planner.run({ session: gate, prompt: "x" }), "`session` must be a session"],
  [
    "a resumed run",
    () => planner.resume("token", { session, toolPolicys: {} }),
    "did you mean `toolPolicy`?",
  ],
  [
    "an agent's tools",
    () => new FixerAgent({ model, root: ".", allowedTool: [] } as any),
    "did you mean `allowedTools`?",
  ],
  [
    "an agent's tools as text",
    () => new FixerAgent({ model, root: ".", allowedTools: "Read" } as any),
    "and is text.",
  ],
  [
    "what an agent protects",
    () => new FixerAgent({ model, root: ".", protects: [] } as any),
    "did you mean `protect`?",
  ],
  ["an agent's run", () => agent.execute({}, { lable: { level: "secret" } }), "did you mean `label`?"],
])("%s is no option that is left out in silence", async (_, make, why) => {
  const refused = expect.objectContaining({
    code: expect.stringMatching(/^(invalid-request|policy-invalid)$/),
  });
  const given = (async () => make())();
  await expect(given).rejects.toEqual(refused);
  await expect(given).rejects.toMatchObject({ why: expect.stringContaining(why) });
});
