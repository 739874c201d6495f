/** What is proposed after a person approved the same kind of call three times, and what never is. */
import { describe, expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../index.ts";
import {
  type Answer,
  type CallFacts,
  createGate,
  type GateOptions,
  type ListOptions,
  type Session,
} from "../index.ts";

const POLICY = definePolicy(
  {
    endorsement: "declared",
    tools: {
      pay: { permissions: ["write"], approval: "always" },
      set_key: { permissions: ["write"], approval: "always", critical: ["api_key"] },
    },
  },
  { version: "v1" },
);

type Arguments = Readonly<Record<string, unknown>>;
const YES: Answer = { answer: "approved", by: "bo" };

async function openBench(options: Partial<GateOptions> = {}) {
  const gate = createGate({ policy: POLICY, store: createMemoryStore(), ...options });
  const session = await gate.open({ principal: "ada" });
  const ask = async (args: Arguments, tool = "pay", own: Session = session): Promise<string> =>
    (await own.decide([{ tool, arguments: args }]))[0]?.approval?.id ?? "";
  const answer = async (args: Arguments, given: Answer = YES, tool = "pay") => {
    await gate.answerApproval(await ask(args, tool), given);
    // The yes is used up.
    if (given.answer === "approved" && given.arguments === undefined) await ask(args, tool);
  };
  /** What is proposed with the one call that waits. */
  const proposed = async (args: Arguments, tool = "pay", options: ListOptions = {}) => {
    const id = await ask(args, tool);
    const [listed] = await gate.pendingApprovals({ firstOnly: true, ...options });
    const found = await gate.approval(id);
    const proposal = "proposal" in found ? found.proposal : null;
    expect(listed?.proposal?.standing.arguments).toEqual(proposal?.standing.arguments);
    await gate.answerApproval(id, { answer: "denied", by: "bo", via: "terminal" });
    return proposal;
  };
  return { gate, session, ask, answer, proposed };
}

const TO_ADA = [
  { path: "docs/a", amount: 3, to: "ada" },
  { path: "docs/b", amount: 9, to: "ada" },
  { path: "docs/sub/c", amount: 1, to: "ada" },
];

describe("a standing approval is proposed", () => {
  it("with the fourth call of a kind, from what the three had in common, in words, and given as it was proposed (X19)", async () => {
    const { gate, ask, answer } = await openBench();
    for (const args of TO_ADA) await answer(args);
    const id = await ask({ path: "docs/d", amount: 2, to: "ada" });
    const [waiting] = await gate.pendingApprovals();
    expect(waiting?.proposal).toMatchObject({
      words: expect.stringContaining(
        '`amount` is a number from 0 to 9, and `path` is "docs" or lies in it, and `to` is "ada"',
      ),
      standing: {
        arguments: { path: { prefix: "docs" }, amount: { atMost: 9 }, to: { equals: "ada" } },
        for: "session",
        count: 20,
      },
    });
    const standing = waiting?.proposal?.standing ?? {};
    await gate.answerApproval(id, { ...YES, standing });
    await ask({ path: "docs/d", amount: 2, to: "ada" });
    expect(await ask({ path: "docs/e", amount: 8, to: "ada" })).toBe("");
    expect(await ask({ path: "docs/e", amount: 10, to: "ada" })).not.toBe("");
    expect((await gate.standingApprovals())[0]?.words).toBe(waiting?.proposal?.words);
  });

  it("from all of the arguments, also where a list cuts them (X19)", async () => {
    const { answer, proposed } = await openBench();
    const text = "x".repeat(500);
    for (const amount of [1, 2, 3]) await answer({ text, amount });
    expect((await proposed({ text, amount: 2 }, "pay", { fold: 10 }))?.standing.arguments).toEqual({
      text: { equals: text },
      amount: { atMost: 3 },
    });
  });

  it("whatever restarts meanwhile (X19)", async () => {
    const store = createMemoryStore();
    const one = await openBench({ store });
    for (const args of TO_ADA) await one.answer(args);
    const gate = createGate({ policy: POLICY, store });
    await one.ask({ ...TO_ADA[0], amount: 4 });
    expect((await gate.pendingApprovals())[0]?.proposal).not.toBeNull();
  });
});

describe("nothing is proposed", () => {
  const same = { to: "ada", amount: 5 };

  it("after two, nor in another session of the principal, nor a day later (X19)", async () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const { gate, ask, answer, proposed } = await openBench({ clock: { now: () => now } });
    await answer({ ...same, amount: 1 });
    await answer({ ...same, amount: 2 });
    await ask(same);
    expect((await gate.pendingApprovals())[0]?.proposal).toBeNull();
    await answer(same);
    const other = await gate.open({ principal: "ada" });
    await ask({ ...same, amount: 4 }, "pay", other);
    expect((await gate.pendingApprovals())[0]?.proposal).toBeNull();
    now = new Date("2026-01-02T00:00:01Z");
    expect(await proposed({ ...same, amount: 3 })).toBeNull();
  });

  it.each<[string, Arguments]>([
    ["a value that nobody approved", { to: "eve", amount: 5 }],
    ["more than was approved", { to: "ada", amount: 6 }],
    ["another argument", { to: "ada", amount: 5, cc: "eve" }],
    ["an argument less", { to: "ada" }],
  ])("for %s, which is answered by itself (X19)", async (_, args) => {
    const { answer, proposed } = await openBench();
    for (const amount of [3, 4, 5]) await answer({ to: "ada", amount });
    expect(await proposed(args)).toBeNull();
  });

  it("beyond the values that a person approved, nor from those before a no (X19)", async () => {
    const { answer, proposed } = await openBench();
    for (const amount of [3, 4, 5]) await answer({ to: "ada", amount });
    const proposal = await proposed({ to: "ada", amount: 2 });
    expect(proposal?.standing.arguments).toEqual({ to: { equals: "ada" }, amount: { atMost: 5 } });
    // That was denied: those before it count no more.
    expect(await proposed({ to: "ada", amount: 1 })).toBeNull();
  });

  it.each<[string, string, Arguments, CallFacts]>([
    ["credentials", "set_key", { api_key: "k" }, {}],
    ["paths that git ignores", "pay", same, { asks: ["ignored-path"] }],
  ])("for %s (X19)", async (_, tool, args, facts) => {
    const { gate, ask } = await openBench({ facts: () => facts });
    for (const time of [1, 2, 3, 4]) {
      const id = await ask(args, tool);
      expect(await gate.approval(id), `time ${time}`).toMatchObject({ proposal: null });
      await gate.answerApproval(id, YES);
      await ask(args, tool);
    }
  });

  it("from calls with long arguments, which aren't kept, nor after the session is reset (X19)", async () => {
    const store = createMemoryStore();
    const { gate, session, answer, proposed } = await openBench({ store });
    const long = { text: "x".repeat(5000), amount: 5 };
    for (const amount of [1, 2, 3]) await answer({ ...long, amount });
    expect(await store.kept(session.id, "approved-calls")).toBeNull();
    expect(await proposed(long)).toBeNull();
    for (let time = 0; time < 40; time += 1) await answer({ to: "ada", amount: time });
    const kept = (await store.kept(session.id, "approved-calls")) ?? "";
    expect(JSON.parse(kept)).toHaveLength(30);
    await gate.reset(session.id);
    expect(await store.kept(session.id, "approved-calls")).toBeNull();
  });
});
