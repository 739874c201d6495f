/** The plan step: the plan comes first, is checked, and is put before a person once where any of its calls would ask. */
import { beforeEach, describe, expect, it } from "vitest";
import {
  call,
  type Office,
  openOffice,
  say,
  scriptedModel,
  TOOLS,
} from "../../test/fixtures/planner-office.ts";
import { definePolicy } from "../core/index.ts";
import type { Session } from "../runtime/index.ts";
import { createPlanner, type PlannerOptions } from "./planner.ts";

let office: Office;
let session: Session;

beforeEach(async () => {
  office = openOffice({ approvalSeconds: 600 });
  session = await office.gate.open({ principal: "ada" });
});

const plannerFor = (script: Parameters<typeof scriptedModel>[0], more: Partial<PlannerOptions> = {}) => {
  const { model, asked } = scriptedModel(script);
  return { planner: createPlanner({ model, tools: office.tools, plan: true, ...more }), asked };
};

const answer = (approval: string | undefined, said: "approved" | "denied" = "approved") =>
  office.gate.answerApproval(approval ?? "", { answer: said, by: "grace" });

const pay = (amount: number, id = `pay-${amount}`) => call("pay", { amount }, id);
const plan = (planned_calls: unknown, id = "plan") => call("check_plan", { planned_calls }, id);
const paying = (...amounts: readonly number[]) =>
  amounts.map((amount) => ({ tool: "pay", arguments: { amount } }));

describe("the plan step", () => {
  it("comes before any other tool, says what would be blocked, and authorises nothing (C6)", async () => {
    const wrong = { planned_calls: ["search_email", { id: "w", tool: "web_search" }, "pay"] };
    const right = { planned_calls: ["web_search", "search_email"] };
    const { planner, asked } = plannerFor([
      [call("search_email", {}, "early"), call("check_plan", wrong, "p1")],
      [call("check_plan", right, "p2")],
      [call("search_email"), call("web_search")],
      say("done"),
    ]);
    await planner.run({ session, prompt: "x" });
    expect(asked[0]?.tools).toEqual(["report_impossible", "check_plan"]);
    expect(asked[0]?.system).toContain("First call `check_plan`");
    expect(JSON.parse(asked[1]?.told.p1 ?? "")).toMatchObject({
      valid: false,
      violations: [{ at_step: 1, tool: "web_search" }],
      safe_ordering: ["w", "search_email", "pay"],
      approvals: [{ at_step: 2, tool: "pay" }],
    });
    expect(asked[1]?.tools).toEqual(asked[0]?.tools);
    expect(asked[2]?.tools).toContain("search_email");
    expect(asked[2]?.system).not.toContain("First call `check_plan`");
    // The plan was valid; what is done is something else, and is decided all the same.
    expect(office.ran).toEqual(["search_email"]);
  });

  it("keeps a model that finds no plan no longer than three tries, and takes no plan that is none", async () => {
    const script = [
      [call("check_plan", { planned_calls: "web_search" }, "p1")],
      [call("check_plan", { planned_calls: [{ id: 3 }] }, "p2")],
      [call("check_plan", { planned_calls: Array(1001).fill("note") }, "p3")],
      [call("note")],
    ];
    const { planner, asked } = plannerFor(script);
    expect((await planner.run({ session, prompt: "x" })).status).toBe("done");
    for (const id of ["p1", "p2", "p3"]) expect(asked[3]?.told[id]).toContain('"valid":false');
    expect(office.ran).toEqual(["note"]);
  });
});

describe("a plan some of whose calls ask", () => {
  it("is put before a person once, as a whole, and runs under its lease after the yes (X6, D5-planner)", async () => {
    const planned = [{ tool: "search_email", arguments: { query: "order" } }, ...paying(1, 2)];
    const { planner, asked } = plannerFor([
      [plan(planned)],
      [call("search_email", { query: "order" }), pay(1)],
      [pay(2)],
      say("paid both"),
    ]);
    const paused = await planner.run({ session, prompt: "pay both" });
    expect(paused).toMatchObject({
      status: "paused",
      waiting: [{ tool: "check_plan", approval: paused.approval }],
    });
    expect(paused.steps).toMatchObject([{ calls: [{ tool: "check_plan", outcome: "waiting" }] }]);
    const [shown, ...others] = await office.gate.pendingApprovals();
    expect([shown?.id, others]).toEqual([paused.approval, []]);
    expect(shown).toMatchObject({ tool: "plan", plan: { steps: 3, asking: 2 } });
    expect(shown?.arguments).toMatchObject({
      steps: [
        { tool: "search_email", before: "public data (trusted)", after: "internal data (untrusted)" },
        { tool: "pay", arguments: { amount: 1 }, before: "internal data (untrusted)", asks: "now" },
        { tool: "pay", arguments: { amount: 2 }, asks: "now" },
      ],
    });
    await answer(paused.approval);
    const done = await planner.resume(paused.token ?? "", { session });
    expect([done.status, done.text]).toEqual(["done", "paid both"]);
    expect(office.ran).toEqual(["search_email", "pay", "pay"]);
    expect(JSON.parse(asked[1]?.told.plan ?? "")).toMatchObject({
      valid: true,
      approved: true,
      approvals: [],
      questions: 0,
    });
    expect(await office.gate.pendingApprovals()).toEqual([]);
  });

  it("lets a call that departs from it ask by itself, and goes on with the rest (X6)", async () => {
    const { planner } = plannerFor([[plan(paying(1, 2))], [pay(3)], [pay(1), pay(2)], say("paid")]);
    const first = await planner.run({ session, prompt: "pay" });
    await answer(first.approval);
    const second = await planner.resume(first.token ?? "", { session });
    expect(second.waiting).toMatchObject([{ tool: "pay" }]);
    expect(office.ran).toEqual([]);
    await answer(second.approval, "approved");
    const done = await planner.resume(second.token ?? "", { session });
    expect([done.status, office.ran]).toEqual(["done", ["pay", "pay", "pay"]]);
  });

  it("waits on where nobody has answered yet, with the same approval (D5-planner)", async () => {
    const { planner, asked } = plannerFor([[plan(paying(1))], [pay(1)], say("paid")]);
    const first = await planner.run({ session, prompt: "pay" });
    const second = await planner.resume(first.token ?? "", { session });
    expect(second).toMatchObject({ status: "paused", approval: first.approval });
    expect(asked.length).toBe(1);
    await answer(second.approval);
    expect((await planner.resume(second.token ?? "", { session })).status).toBe("done");
    expect(office.ran).toEqual(["pay"]);
  });

  it("that a person denies may be followed by another, and the tools come with a yes alone (X6, D5-planner)", async () => {
    const { planner, asked } = plannerFor([
      [plan(paying(1, 2), "p1")],
      [pay(1, "early"), plan(paying(1), "p2")],
      [pay(1)],
      say("paid one"),
    ]);
    const first = await planner.run({ session, prompt: "pay" });
    await answer(first.approval, "denied");
    const second = await planner.resume(first.token ?? "", { session });
    expect(asked[1]?.tools).toEqual(["report_impossible", "check_plan"]);
    expect(JSON.parse(asked[1]?.told.p1 ?? "")).toMatchObject({ approved: false });
    expect(asked[1]?.told.p1).toContain("A person denied this plan.");
    expect(second.status).toBe("paused");
    expect(second.approval).not.toBe(first.approval);
    await answer(second.approval);
    expect((await planner.resume(second.token ?? "", { session })).text).toBe("paid one");
    expect(office.ran).toEqual(["pay"]);
  });

  it("that a person denies for the third time leaves `report_impossible` alone (D5-planner)", async () => {
    const { planner, asked } = plannerFor(({ step }) =>
      step < 3 ? [plan(paying(step + 1), `p${step}`)] : [call("report_impossible", { reason: "three noes" })],
    );
    let last = await planner.run({ session, prompt: "pay" });
    for (const _ of [1, 2, 3]) {
      await answer(last.approval, "denied");
      last = await planner.resume(last.token ?? "", { session });
    }
    expect(last).toMatchObject({ status: "impossible", text: "three noes" });
    expect(asked.map(({ tools }) => tools.length)).toEqual([2, 2, 2, 1]);
  });

  it("is no dodge of a no: the tools don't come after a denied plan because others were invalid (D5-planner)", async () => {
    const { planner, asked } = plannerFor([[plan(paying(1))], [plan("x", "b")], [plan("y", "c")], say("no")]);
    const paused = await planner.run({ session, prompt: "pay" });
    await answer(paused.approval, "denied");
    await planner.resume(paused.token ?? "", { session });
    expect(asked.at(-1)?.tools).toEqual(["report_impossible"]);
  });

  it("asks anew where the session holds more by the time of the yes, and runs nothing (X6)", async () => {
    const { planner } = plannerFor([[plan(paying(1))], [pay(1)], say("paid")]);
    const first = await planner.run({ session, prompt: "pay" });
    await session.addDataset("crm", "confidential");
    await answer(first.approval);
    const second = await planner.resume(first.token ?? "", { session });
    expect([second.status, office.ran]).toEqual(["paused", []]);
    expect(second.approval).not.toBe(first.approval);
  });

  it("asks for each call where the host prefers that, where its steps give no arguments, and where it is too long to be shown", async () => {
    const cases = [
      { planned: paying(1), more: { questions: "per-call" } },
      { planned: ["pay"], more: {} },
      { planned: [...paying(1), ...Array(100).fill("note")], more: {} },
    ] as const;
    for (const { planned, more } of cases) {
      const { planner, asked } = plannerFor([[plan(planned)], [pay(1)], say("paid")], more);
      const paused = await planner.run({ session, prompt: "pay" });
      expect(JSON.parse(asked[1]?.told.plan ?? "")).toMatchObject({
        valid: true,
        approvals: [{ tool: "pay" }],
      });
      expect(paused.waiting).toMatchObject([{ tool: "pay" }]);
    }
    expect(office.ran).toEqual([]);
  });

  it("may come again in the middle of a run, and asks for what is new (X6)", async () => {
    const { planner } = plannerFor([
      [plan(["note"], "p1")],
      [call("note")],
      [plan(paying(1), "p2")],
      [pay(1)],
      say("paid"),
    ]);
    const paused = await planner.run({ session, prompt: "pay" });
    expect(office.ran).toEqual(["note"]);
    expect(paused.waiting).toMatchObject([{ tool: "check_plan" }]);
    await answer(paused.approval);
    expect((await planner.resume(paused.token ?? "", { session })).status).toBe("done");
    expect(office.ran).toEqual(["note", "pay"]);
  });

  it("lifts no denial: what the policy blocks by then stays blocked under its lease (X6)", async () => {
    const tools = { ...TOOLS, slack_post: { permissions: ["connect"], approval: "always" } } as const;
    office.gate.usePolicy(definePolicy({ tools }, { version: "asks" }));
    const post = { text: "hello" };
    const { planner, asked } = plannerFor([
      [plan([{ tool: "slack_post", arguments: post }])],
      [call("search_email"), call("slack_post", post)],
      say("done"),
    ]);
    const paused = await planner.run({ session, prompt: "post" });
    await answer(paused.approval);
    await planner.resume(paused.token ?? "", { session });
    expect(office.ran).toEqual(["search_email"]);
    expect(asked[2]?.told["c-slack_post"]).toContain("is blocked in this session");
  });
});
