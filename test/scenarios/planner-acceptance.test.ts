/**
 * The seed's acceptance test, in our own loop: a task that needs the mail and the web. With a script always; with a
 * real model where a key is in the environment.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it } from "vitest";
import { createPlanner, type PlannerResult } from "../../src/agents/index.ts";
import { definePolicy } from "../../src/core/index.ts";
import { createGate } from "../../src/runtime/index.ts";
import { createMemoryStore } from "../../src/stores/index.ts";
import { type Asked, call, officeTools, say, scriptedModel, TOOLS } from "../fixtures/planner-office.ts";
import { findModel } from "../fixtures/real-model.ts";

const TASK =
  "Compare what our mail says about Q3 with what the web says about the market. Search both, then answer.";
const { search_email, web_search, slack_post } = TOOLS;

async function play(model: Parameters<typeof createPlanner>[0]["model"], plan = false) {
  const gate = createGate({
    policy: definePolicy({ tools: { search_email, web_search, slack_post } as any }),
    store: createMemoryStore(),
  });
  const ran: string[] = [];
  const session = await gate.open({ principal: "ada", task: TASK });
  const { search_email: mail, web_search: web } = officeTools(ran);
  const planner = createPlanner({
    model,
    tools: { search_email: mail, web_search: web } as any,
    plan,
    maxSteps: 12,
  });
  const result = await planner.run({ session, prompt: TASK });
  const refused = (await session.journal()).filter(({ kind }) => kind === "call-refused").length;
  return { result, ran, refused };
}

const outcomes = ({ steps }: PlannerResult): readonly string[] =>
  steps.flatMap(({ calls }) => calls.map(({ tool, outcome }) => `${tool} ${outcome}`));

/** The tools that the prompt says to call first. */
const firstIn = ({ system }: Asked): readonly string[] => {
  const line = system.split("\n").find((one) => one.includes("first.")) ?? "";
  return [...line.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
};

it("meets no block with a model that plans by the manifest (C7-scripted)", async () => {
  const { model } = scriptedModel((asked) => {
    const first = firstIn(asked);
    const order = ["search_email", "web_search"].toSorted(
      (a, b) => Number(first.includes(b)) - Number(first.includes(a)),
    );
    const next = order.find((name) => asked.told[`c-${name}`] === undefined);
    return next === undefined ? say("Both are compared.") : [call(next, { query: "Q3" })];
  });
  const { result, ran, refused } = await play(model);
  expect([result.status, ran, refused]).toEqual(["done", ["web_search", "search_email"], 0]);
});

it("meets no block with a model that has its plan checked first (C7-scripted)", async () => {
  const { model } = scriptedModel(({ told }) => {
    const check = JSON.parse(told.plan ?? told.first ?? "null");
    if (check === null)
      return [call("check_plan", { planned_calls: ["search_email", "web_search"] }, "first")];
    if (!check.valid) return [call("check_plan", { planned_calls: check.safe_ordering }, "plan")];
    const next = ["web_search", "search_email"].find((name) => told[`c-${name}`] === undefined);
    return next === undefined ? say("Both are compared.") : [call(next, { query: "Q3" })];
  });
  const { ran, refused } = await play(model, true);
  expect([ran, refused]).toEqual([["web_search", "search_email"], 0]);
});

it("holds a model that ignores the manifest at the gate, and tells it why (C7-scripted)", async () => {
  const { model, asked } = scriptedModel([
    [call("search_email")],
    [call("web_search")],
    say("Only the mail."),
  ]);
  const { result, ran, refused } = await play(model);
  expect(outcomes(result)).toEqual(["search_email ran", "web_search refused"]);
  expect(asked[2]?.told["c-web_search"]).toContain("Call `web_search` before `search_email`");
  expect([ran, refused]).toEqual([["search_email"], 1]);
});

it("reaches a real model as the demo does, over its API (C7-scripted)", async () => {
  const bodies: any[] = [];
  const use = (id: string, name: string) => ({ type: "tool_use", id, name, input: { query: "Q3" } });
  const answers = [
    [use("a", "web_search")],
    [use("b", "search_email")],
    [{ type: "text", text: "Compared." }],
  ];
  const server = createServer(async (request, response) => {
    bodies.push(await json(request));
    response.end(JSON.stringify({ content: answers[bodies.length - 1] }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const found = findModel({ ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` });
  if ("missing" in found) throw new Error(found.missing);
  const { result, ran } = await play(found.model);
  server.close();
  expect([result.text, ran]).toEqual(["Compared.", ["web_search", "search_email"]]);
  expect(bodies[0].system).toContain("Calling `search_email` blocks `web_search`");
  expect(bodies[0].tools.map(({ name }: any) => name)).toContain("web_search");
  expect(bodies[2].messages.at(-1).content).toMatchObject([{ tool_use_id: "b", is_error: false }]);
});

const real = findModel(process.env);

it.skipIf("missing" in real)(
  `meets no block with a real model${"missing" in real ? ` [skipped: ${real.missing}]` : ` (${real.name})`} (C7-model)`,
  { timeout: 300_000 },
  async () => {
    if ("missing" in real) return;
    const { ran, refused } = await play(real.model);
    expect(ran).toEqual(expect.arrayContaining(["web_search", "search_email"]));
    expect(ran.indexOf("web_search")).toBeLessThan(ran.indexOf("search_email"));
    expect(refused).toBe(0);
  },
);
