/** Runs that wait for a person: where they stop, what is kept of them, and what goes on. */
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
import { createMemoryStore } from "../stores/index.ts";
import { createPlanner } from "./planner.ts";

const REPORT = "report_impossible";
const notFound = { code: "run-not-found" };

let office: Office;
let store: ReturnType<typeof createMemoryStore>;
let session: Session;

beforeEach(async () => {
  store = createMemoryStore();
  office = openOffice({ store, approvalSeconds: 600 });
  session = await office.gate.open({ principal: "ada" });
});

const answer = (approval: string | undefined, said: "approved" | "denied") =>
  office.gate.answerApproval(approval ?? "", { answer: said, by: "grace" });

const plannerFor = (script: Parameters<typeof scriptedModel>[0], more: object = {}) => {
  const { model, asked } = scriptedModel(script);
  return { planner: createPlanner({ model, tools: office.tools, ...more }), asked };
};

const pay = call("pay", { amount: 5, to: "Ada's account" });
const PAYING = [[pay, call("note")], say("paid and done")];
const keptKeys = async () => (await store.keptWith("paused-run", 10)).length;

describe("a run that meets a call which waits for a person", () => {
  it("pauses before the call is executed, and goes on with that very call once it is approved (D5-planner)", async () => {
    const { planner, asked } = plannerFor(PAYING);
    const paused = await planner.run({ session, prompt: "pay it" });
    expect(paused).toMatchObject({ status: "paused", approval: expect.stringMatching(/^appr_/) });
    expect(paused.token).toMatch(/^run_[0-9a-f]{32}$/);
    expect(paused.waiting).toEqual([{ tool: "pay", approval: paused.approval }]);
    expect(paused.steps[0]?.calls.map(({ outcome }) => outcome)).toEqual(["waiting", "ran"]);
    expect(office.ran).toEqual(["note"]);
    await answer(paused.approval, "approved");
    const done = await planner.resume(paused.token ?? "", { session });
    expect(done).toMatchObject({ status: "done", text: "paid and done" });
    expect(done.steps[0]?.calls).toEqual([{ id: "c-pay", tool: "pay", outcome: "ran" }]);
    expect(office.ran).toEqual(["note", "pay"]);
    expect(asked[1]?.told).toEqual({ "c-note": "noted", "c-pay": "paid" });
    expect(asked[1]?.tools).toContain("note");
  });

  it("names the approval that waits now, where the one that it paused for is void (D5-planner)", async () => {
    const { planner } = plannerFor(PAYING);
    const paused = await planner.run({ session, prompt: "pay it" });
    office.gate.usePolicy(definePolicy({ tools: TOOLS }, { version: "another" }));
    const again = await planner.resume(paused.token ?? "", { session });
    const waiting = (await office.gate.pendingApprovals()).map(({ id }) => id);
    expect(waiting).toContain(again.approval);
    expect(again.approval).not.toBe(paused.approval);
    await answer(again.approval, "approved");
    expect(await planner.resume(again.token ?? "", { session })).toMatchObject({ status: "done" });
    expect(office.ran).toEqual(["note", "pay"]);
  });

  it("has the same approval where nobody has answered yet, and runs nothing meanwhile (D5-planner)", async () => {
    const { planner, asked } = plannerFor(PAYING);
    const first = await planner.run({ session, prompt: "pay it" });
    const second = await planner.resume(first.token ?? "", { session });
    expect(second).toMatchObject({ status: "paused", approval: first.approval });
    expect(second.steps).toEqual([
      { text: "", tokens: 0, calls: [{ id: "c-pay", tool: "pay", outcome: "waiting" }] },
    ]);
    expect(second.token).not.toBe(first.token);
    expect([asked.length, office.ran]).toEqual([1, ["note"]]);
    await answer(second.approval, "approved");
    expect((await planner.resume(second.token ?? "", { session })).status).toBe("done");
    expect(office.ran).toEqual(["note", "pay"]);
  });

  it("tells the model of a no, and leaves it with `report_impossible` alone (D5-planner)", async () => {
    const { planner, asked } = plannerFor(({ step }) => {
      if (step === 0) return [pay];
      return step === 1 ? [call("note"), call("pay", { amount: 4 })] : [call(REPORT, { reason: "a no" })];
    });
    const paused = await planner.run({ session, prompt: "pay it" });
    await answer(paused.approval, "denied");
    const ended = await planner.resume(paused.token ?? "", { session });
    expect(ended).toMatchObject({ status: "impossible", text: "a no" });
    expect(asked.slice(1).map(({ tools }) => tools)).toEqual([[REPORT], [REPORT]]);
    expect(asked[1]?.told["c-pay"]).toContain("and said no");
    expect(ended.steps.map(({ calls }) => calls.map(({ outcome }) => outcome))).toEqual([
      ["refused"],
      ["invalid", "invalid"],
      ["ran"],
    ]);
    expect(office.ran).toEqual([]);
    expect(await session.impossible()).toBe("a no");
  });

  it("ends with the model's words after a no, and asks nobody again for that call (D5-planner)", async () => {
    const { planner } = plannerFor([[pay], say("It was refused.")]);
    const paused = await planner.run({ session, prompt: "pay it" });
    await answer(paused.approval, "denied");
    const ended = await planner.resume(paused.token ?? "", { session });
    expect([ended.status, ended.text]).toEqual(["done", "It was refused."]);
    const again = plannerFor([[pay], say("refused once more")]);
    expect(await again.planner.run({ session, prompt: "once more" })).toMatchObject({ status: "done" });
    expect(again.asked[1]?.tools).toEqual([REPORT]);
    expect(await office.gate.pendingApprovals()).toEqual([]);
  });

  it("waits for all of a step's calls, unless one was refused", async () => {
    const two = [call("pay", { amount: 1 }, "one"), call("pay", { amount: 2 }, "two")];
    const { planner } = plannerFor([two, say("done")]);
    const first = await planner.run({ session, prompt: "pay both" });
    expect(first.waiting?.length).toBe(2);
    await answer(first.waiting?.[0]?.approval, "approved");
    const second = await planner.resume(first.token ?? "", { session });
    expect([second.status, office.ran]).toEqual(["paused", []]);
    await answer(second.waiting?.[1]?.approval, "approved");
    const done = await planner.resume(second.token ?? "", { session });
    expect([done.status, office.ran]).toEqual(["done", ["pay", "pay"]]);
  });

  it("asks anew where the yes came for a call that the session's label has shut since", async () => {
    const tools = { ...TOOLS, slack_post: { permissions: ["connect"], approval: "always" } } as const;
    office.gate.usePolicy(definePolicy({ tools }, { version: "asks" }));
    const { planner, asked } = plannerFor([[call("slack_post", { text: "hello" })], say("done")]);
    const paused = await planner.run({ session, prompt: "post" });
    await answer(paused.approval, "approved");
    await session.addDataset("crm", "confidential");
    await planner.resume(paused.token ?? "", { session });
    expect(office.ran).toEqual([]);
    expect(asked[1]?.told["c-slack_post"]).toContain("is blocked in this session");
  });
});

describe("the token of a paused run", () => {
  const pause = async (more: object = {}) => {
    const { planner, asked } = plannerFor(PAYING, more);
    const paused = await planner.run({ session, prompt: "pay it" });
    await answer(paused.approval, "approved");
    return { planner, asked, token: paused.token ?? "", paused };
  };

  it("serves once, also where two use it at the same time (B6)", async () => {
    const { planner, token } = await pause();
    const both = await Promise.allSettled([
      planner.resume(token, { session }),
      planner.resume(token, { session }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(office.ran).toEqual(["note", "pay"]);
    await expect(planner.resume(token, { session })).rejects.toMatchObject(notFound);
  });

  it("expires, and what was kept goes with it (B6)", async () => {
    const { planner, token, paused } = await pause({ pauseSeconds: 60 });
    expect(paused.expiresAt).toBe("2026-11-22T08:01:00.000Z");
    expect([await keptKeys(), (await office.gate.verify()).ok]).toEqual([2, true]);
    office.time.now += 60_000;
    await expect(planner.resume(token, { session })).rejects.toMatchObject(notFound);
    expect(await keptKeys()).toBe(0);
    expect(office.ran).toEqual(["note"]);
  });

  it("is another session's for whoever brings another session or another name, and stays good (B6)", async () => {
    const { planner, token } = await pause();
    const other = await office.gate.open({ principal: "ada" });
    for (const foreign of [{ session: other }, { session, principal: "eve" }])
      await expect(planner.resume(token, foreign)).rejects.toMatchObject(notFound);
    for (const wrong of ["", "run_", `run_${"0".repeat(32)}`, `${token} `, "__proto__"])
      await expect(planner.resume(wrong, { session })).rejects.toMatchObject(notFound);
    expect((await planner.resume(token, { session, principal: "ada" })).status).toBe("done");
    await expect(planner.run({ session, principal: "eve", prompt: "x" })).rejects.toMatchObject({
      code: "session-not-found",
    });
  });

  it("stands nowhere in the store, and what is kept is gone once it was used (B6)", async () => {
    const { planner, token } = await pause();
    const journal = JSON.stringify(await session.journal());
    const kept = JSON.stringify(await store.keptWith("", 100));
    expect(journal + kept).not.toContain(token);
    expect(journal).not.toContain("Ada's account");
    expect(kept).toContain("Ada's account");
    await planner.resume(token, { session });
    // Calls that a person approved are kept for what they may have in common with later ones.
    const left = (await store.keptWith("", 100)).filter(({ key }) => key !== "approved-calls");
    expect(JSON.stringify(left)).not.toContain("Ada's account");
    const kinds = (await session.journal()).map(({ kind }) => kind).filter((kind) => kind.startsWith("run-"));
    expect(kinds).toEqual(["run-paused", "run-ended"]);
  });

  it("is worth nothing once its session was reset, and nothing of the run is kept (B6)", async () => {
    const { planner, token } = await pause();
    const successor = await office.gate.reset(session.id);
    for (const one of [session, successor])
      await expect(planner.resume(token, { session: one })).rejects.toMatchObject(notFound);
    expect(await keptKeys()).toBe(0);
  });

  it("isn't used up by a caller that leaves while another run has the turn, nor by a policy that throws", async () => {
    const { planner, token } = await pause();
    const broken = {
      visibleTools: () => {
        throw new Error("down");
      },
    };
    await expect(planner.resume(token, { session, visibility: broken })).rejects.toMatchObject({
      code: "visibility-failed",
    });
    const hold = Promise.withResolvers<void>();
    const long = plannerFor(async () => {
      await hold.promise;
      return say("long");
    });
    const running = long.planner.run({ session, prompt: "takes long" });
    const leaving = new AbortController();
    const left = planner.resume(token, { session, signal: leaving.signal });
    leaving.abort();
    expect(await left).toMatchObject({ status: "stopped", stopped: "aborted", steps: [] });
    hold.resolve();
    await running;
    expect((await planner.resume(token, { session })).status).toBe("done");
  });

  it("of expired runs in sessions that nobody opens any more is cleared away by whoever pauses next (B6)", async () => {
    await pause({ pauseSeconds: 60 });
    office.time.now += 61_000;
    session = await office.gate.open();
    await pause();
    while ((await keptKeys()) > 2) await new Promise(setImmediate);
    expect(await keptKeys()).toBe(2);
  });
});

describe("a run that goes on", () => {
  const visible = (...names: string[]) => ({
    visibleTools: (tools: readonly { readonly name: string; readonly id: string }[]) =>
      tools.filter(({ name }) => names.includes(name)).map(({ id }) => id),
  });
  const NARROW = [[pay], [call("note"), call("web_search")], say("done")];

  it("sees no more than it saw, whatever it is given now (B6, law-4)", async () => {
    const { planner, asked } = plannerFor(NARROW);
    const paused = await planner.run({ session, prompt: "pay", visibility: visible("pay", "note") });
    await answer(paused.approval, "approved");
    const wide = createPlanner({ model: scriptedModel(NARROW).model, tools: office.tools });
    await wide.resume(paused.token ?? "", {
      session,
      visibility: { visibleTools: (tools) => tools },
      permissions: ["read", "write", "connect"],
      toolPolicy: { allowedTools: ["*"] },
    });
    expect(office.ran).toEqual(["pay", "note"]);
    expect(asked[0]?.tools).toEqual(["pay", "note", REPORT]);
  });

  it("sees what is left of it where it is given less now (B6, law-4)", async () => {
    const { planner, asked } = plannerFor(NARROW);
    const paused = await planner.run({ session, prompt: "pay", visibility: visible("pay", "note") });
    await answer(paused.approval, "approved");
    await planner.resume(paused.token ?? "", { session, visibility: visible("pay", "web_search") });
    expect(asked[1]?.tools).toEqual(["pay", REPORT]);
    expect(office.ran).toEqual(["pay"]);
  });

  it("tells the model that a call's tool is gone, and doesn't run it, where it may not see that any more (B6)", async () => {
    const { planner, asked } = plannerFor(NARROW);
    const paused = await planner.run({ session, prompt: "pay" });
    await answer(paused.approval, "approved");
    const done = await planner.resume(paused.token ?? "", { session, visibility: visible("note") });
    expect(done.steps[0]?.calls[0]?.outcome).toBe("stopped");
    expect(asked[1]?.told["c-pay"]).toContain("not available any more");
    expect(office.ran).toEqual(["note"]);
  });

  it("keeps the tool policies and the grants that it ran with (B6, law-4)", async () => {
    const limited = createPlanner({
      model: scriptedModel([[pay]]).model,
      tools: office.tools,
      policy: { deniedTools: ["note"] },
    });
    let granted: ("read" | "write" | "connect")[] = ["write"];
    const paused = await limited.run({ session, prompt: "pay", permissions: () => granted });
    await answer(paused.approval, "approved");
    granted = ["write", "connect"];
    const wide = plannerFor(NARROW);
    const again = await office.gate.session(session.id);
    await wide.planner.resume(paused.token ?? "", { session: again ?? session });
    expect(wide.asked[0]?.tools).toEqual(["pay", REPORT]);
    expect(office.ran).toEqual(["pay"]);
  });

  it("keeps its tool policies as they were told, also where the tools have other tags by now (B6, law-4)", async () => {
    const tagged = {
      ...TOOLS,
      pay: { permissions: ["write"], approval: "always", tags: ["office"] },
    } as const;
    const use = (tools: typeof TOOLS) => office.gate.usePolicy(definePolicy({ tools }, { version: "same" }));
    use(tagged);
    const limited = createPlanner({
      model: scriptedModel([[pay]]).model,
      tools: office.tools,
      policy: { requireTags: ["office"] },
    });
    const paused = await limited.run({ session, prompt: "pay" });
    await answer(paused.approval, "approved");
    use({ ...tagged, note: { permissions: ["write"] } });
    const wide = plannerFor([[pay], say("done")]);
    await wide.planner.resume(paused.token ?? "", { session });
    expect(wide.asked[0]?.tools).toEqual(["search_email", "web_search", "pay", REPORT]);
  });

  it("counts the steps and tokens of before, and has one answer more at least", async () => {
    const { planner } = plannerFor([[pay], [call("note")], say("never")], { maxSteps: 1 });
    const paused = await planner.run({ session, prompt: "pay" });
    expect(paused.status).toBe("paused");
    await answer(paused.approval, "approved");
    const ended = await planner.resume(paused.token ?? "", { session });
    expect(ended).toMatchObject({ status: "stopped", stopped: "steps", tokens: 20 });
    expect(office.ran).toEqual(["pay", "note"]);
  });

  it("is refused what another version of the program has kept, and what isn't a run", async () => {
    const { token } = await session.pauseRun(JSON.stringify({ version: 0 }));
    await expect(plannerFor([]).planner.resume(token, { session })).rejects.toMatchObject(notFound);
    await expect(session.pauseRun("x".repeat(33 * 1024 * 1024))).rejects.toMatchObject({
      code: "limit-reached",
    });
  });
});
