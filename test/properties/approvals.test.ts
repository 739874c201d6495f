/** Law 7 as properties: what people answer, whatever happens around it, admits one call, the one that was shown. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../src/index.ts";
import { type CallFacts, createGate, type Gate, type Session } from "../../src/runtime/index.ts";
import { MEETS_RARE } from "./generators.ts";

const VERSIONS = ["v1", "v2"] as const;
const POLICIES = VERSIONS.map((version) =>
  definePolicy(
    {
      tools: {
        pay: { permissions: ["write"], source: { level: "internal" }, approval: "always" },
        post: { permissions: ["write", "connect"], approval: "always" },
        give: { permissions: ["write"], approval: "always" },
        hand: { permissions: ["connect"], onViolation: "ask" },
      },
    },
    { version },
  ),
);

const TOOLS = ["pay", "post", "give", "hand", "hand"] as const;
const LEVELS = ["public", "internal", "secret"] as const;

/** What may be found out about a call just before it is decided. */
const SIGHTS: readonly CallFacts[] = [
  { definition: "d1", examined: { asks: [], targets: [{ path: "/a" }] } },
  { definition: "d2", examined: { asks: [], targets: [{ path: "/a" }] } },
  { definition: "d1", examined: { asks: [], targets: [{ path: "/b" }] } },
  { definition: "d1", examined: { asks: [], targets: [{ path: "/a", content: "11" }] } },
  { definition: "d1", examined: { asks: ["ignored-path"], targets: [{ path: "/a" }] } },
];

type Step =
  | { readonly kind: "call"; readonly session: number; readonly tool: string; readonly amount: number }
  | { readonly kind: "again" }
  | { readonly kind: "answer"; readonly which: number; readonly yes: boolean; readonly by: string }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "policy"; readonly version: number }
  | { readonly kind: "sight"; readonly sight: number }
  | { readonly kind: "raise"; readonly session: number; readonly level: number }
  | { readonly kind: "show"; readonly which: number }
  | { readonly kind: "give up"; readonly session: number }
  | { readonly kind: "restart" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      session: fc.nat(1),
      tool: fc.constantFrom(...TOOLS),
      amount: fc.nat(1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      which: fc.constantFrom(0, 0, 0, 1, 2),
      yes: fc.constantFrom(true, true, true, false),
      by: fc.constantFrom("ada", "bo"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(20, 61) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("policy" as const), version: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("sight" as const), sight: fc.nat(SIGHTS.length - 1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("raise" as const), session: fc.nat(1), level: fc.nat(2) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("show" as const), which: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("give up" as const), session: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  // The last call once more, as an agent does that was told to wait.
  { weight: 5, arbitrary: fc.constant({ kind: "again" as const }) },
);

/** What an approval was shown for, by the words of the test: not by any digest of the code under test. */
interface Shown {
  readonly session: number;
  readonly call: string;
  readonly expires: number;
  outcome: "open" | "approved" | "denied" | "used" | "over";
}

/** Plays steps against a gate and against a model that is a list; returns how many calls ran on a yes, and how many of those were released. */
async function play(steps: readonly Step[]): Promise<{ readonly ran: number; readonly releases: number }> {
  const store = createMemoryStore();
  let now = Date.parse("2026-11-22T08:00:00.000Z");
  let policy = 0;
  let sight = 0;
  const levels = [0, 0];
  const open = (): Gate =>
    createGate({
      policy: POLICIES[policy] ?? definePolicy({}),
      store,
      clock: { now: () => new Date(now) },
      digestKey: new Uint8Array(32),
      approvalSeconds: 60,
      facts: () => SIGHTS[sight] ?? {},
    });
  let gate = open();
  const ids = [(await gate.open({ principal: "ada" })).id, (await gate.open({ principal: "ada" })).id];
  const shown = new Map<string, Shown>();
  let ran = 0;
  let releases = 0;

  const call = async ({ session: index, tool, amount }: Extract<Step, { kind: "call" }>): Promise<void> => {
    const session: Session | null = await gate.session(ids[index] ?? "");
    if (session === null) throw new Error("the session is gone");
    const level = levels[index] ?? 0;
    const blocked = tool === "post" && level > 0;
    const released = tool === "hand" && level > 0 ? level : null;
    const asks = tool !== "hand" || released !== null || sight === 4;
    const meant = JSON.stringify([index, tool, amount, sight, released, policy]);
    const all = [...shown.values()].filter((one) => one.call === meant && one.expires > now);
    const outcome = await session.call({ tool, arguments: { amount } }, () => "ran");
    const grant = all.find((one) => one.outcome === "approved");
    const denied = all.some((one) => one.outcome === "denied");
    expect(outcome.effect).toBe(blocked || (asks && denied) ? "deny" : grant || !asks ? "allow" : "ask");
    if (outcome.effect === "allow" && asks && grant) {
      grant.outcome = "used";
      ran += 1;
      if (released !== null) releases += 1;
    }
    if (outcome.effect === "allow" && tool === "pay") levels[index] = Math.max(level, 1);
    expect(session.label.level).toBe(LEVELS[levels[index] ?? 0]);
    const asked = outcome.approval;
    if (asked && !shown.has(asked.id)) {
      shown.set(asked.id, { session: index, call: meant, expires: now + 60_000, outcome: "open" });
    }
  };

  const answer = async ({ which, yes, by }: Extract<Step, { kind: "answer" }>): Promise<void> => {
    const [id, one] = [...shown].at(-1 - which) ?? [];
    if (id === undefined || one === undefined) return;
    const current = one.call.endsWith(`,${policy}]`);
    const given = yes ? "approved" : "denied";
    const counts = one.outcome === "open" && one.expires > now && current;
    const answered = await gate.answerApproval(id, { answer: given, by }).catch(() => null);
    if (counts) expect(answered).toMatchObject({ outcome: given, by });
    if (counts) one.outcome = given;
  };

  const raise = async ({ session, level }: Extract<Step, { kind: "raise" }>): Promise<void> => {
    await (await gate.session(ids[session] ?? ""))?.addDataset("crm", LEVELS[level] ?? "secret");
    levels[session] = Math.max(levels[session] ?? 0, level);
  };

  const show = async ({ which }: Extract<Step, { kind: "show" }>): Promise<void> => {
    const [id, one] = [...shown].at(-1 - which) ?? [];
    if (id && one) await gate.recordShown({ id, session: ids[one.session] ?? "" }, "console");
  };

  const giveUp = async ({ session }: Extract<Step, { kind: "give up" }>): Promise<void> => {
    await (await gate.session(ids[session] ?? ""))?.reportImpossible("It can't be done.");
    for (const one of shown.values()) {
      if (one.session === session && one.outcome === "open") one.outcome = "over";
    }
  };

  let last: Extract<Step, { kind: "call" }> | null = null;
  for (const step of steps) {
    if (step.kind === "call") last = step;
    if (step.kind === "call" || step.kind === "again") await (last && call(last));
    else if (step.kind === "answer") await answer(step);
    else if (step.kind === "wait") now += step.seconds * 1000;
    else if (step.kind === "sight") sight = step.sight;
    else if (step.kind === "raise") await raise(step);
    else if (step.kind === "show") await show(step);
    else if (step.kind === "give up") await giveUp(step);
    else {
      if (step.kind === "policy") policy = step.version;
      gate = open();
    }
  }
  const used = [...shown.values()].filter(({ outcome }) => outcome === "used").length;
  expect(ran).toBe(used);
  return { ran, releases };
}

it("admits a call only for an unused yes in time to that very call, and once (law-7, D6-binding)", async () => {
  const sum = { ran: 0, releases: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 60, size: "max" }), async (steps) => {
      const { ran, releases } = await play(steps);
      sum.ran += ran;
      sum.releases += releases;
    }),
    { numRuns: MEETS_RARE ? 300 : 75 },
  );
  expect(sum.ran).toBeGreaterThan(MEETS_RARE ? 40 : 4);
  if (MEETS_RARE) expect(sum.releases).toBeGreaterThan(4);
});
