/** Law 7 as properties: what people answer, whatever happens around it, admits one call, the one that was shown. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createMemoryStore, definePolicy } from "../../src/index.ts";
import { createGate, type Gate, type Session } from "../../src/session/index.ts";

const VERSIONS = ["v1", "v2"] as const;
const POLICIES = VERSIONS.map((version) =>
  definePolicy(
    {
      tools: {
        pay: { permissions: ["write"], source: { level: "internal" }, approval: "always" },
        post: { permissions: ["write", "connect"], approval: "always" },
        give: { permissions: ["write"], approval: "always" },
      },
    },
    { version },
  ),
);

type Step =
  | { readonly kind: "call"; readonly session: number; readonly tool: string; readonly amount: number }
  | { readonly kind: "answer"; readonly which: number; readonly yes: boolean; readonly by: string }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "policy"; readonly version: number }
  | { readonly kind: "restart" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      session: fc.nat(1),
      tool: fc.constantFrom("pay", "post", "give"),
      amount: fc.nat(1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      which: fc.nat(2),
      yes: fc.boolean(),
      by: fc.constantFrom("ada", "bo"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(20, 61) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("policy" as const), version: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
);

/** What an approval was shown for, by the words of the test: not by any digest of the code under test. */
interface Shown {
  readonly call: string;
  readonly expires: number;
  outcome: "open" | "approved" | "denied" | "used";
}

/** Plays steps against a gate and against a model that is a list; returns how many calls ran. */
async function play(steps: readonly Step[]): Promise<number> {
  const store = createMemoryStore();
  let now = Date.parse("2026-11-22T08:00:00.000Z");
  let policy = 0;
  const open = (): Gate =>
    createGate({
      policy: POLICIES[policy] ?? definePolicy({}),
      store,
      clock: { now: () => new Date(now) },
      digestKey: new Uint8Array(32),
      approvalSeconds: 60,
    });
  let gate = open();
  const ids = [(await gate.open({ principal: "ada" })).id, (await gate.open({ principal: "ada" })).id];
  const shown = new Map<string, Shown>();
  let ran = 0;

  const call = async ({ session: index, tool, amount }: Extract<Step, { kind: "call" }>): Promise<void> => {
    const session: Session | null = await gate.session(ids[index] ?? "");
    if (session === null) throw new Error("the session is gone");
    const blocked = tool === "post" && session.label.level !== "public";
    const meant = JSON.stringify([index, tool, amount, policy]);
    const all = [...shown.values()].filter((one) => one.call === meant && one.expires > now);
    const outcome = await session.call({ tool, arguments: { amount } }, () => "ran");
    const grant = all.find((one) => one.outcome === "approved");
    const denied = all.some((one) => one.outcome === "denied");
    expect(outcome.effect).toBe(blocked || denied ? "deny" : grant ? "allow" : "ask");
    if (outcome.effect === "allow" && grant) {
      grant.outcome = "used";
      ran += 1;
    }
    const asked = outcome.approval;
    if (asked && !shown.has(asked.id)) {
      shown.set(asked.id, { call: meant, expires: now + 60_000, outcome: "open" });
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

  for (const step of steps) {
    if (step.kind === "call") await call(step);
    else if (step.kind === "answer") await answer(step);
    else if (step.kind === "wait") now += step.seconds * 1000;
    else {
      if (step.kind === "policy") policy = step.version;
      gate = open();
    }
  }
  const used = [...shown.values()].filter(({ outcome }) => outcome === "used").length;
  expect(ran).toBe(used);
  return ran;
}

it("admits a call only for an unused yes in time to that very call, and once (law-7, D6-binding)", async () => {
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 60, size: "max" }), async (steps) => {
      ran += await play(steps);
    }),
    { numRuns: 150 },
  );
  expect(ran).toBeGreaterThan(20);
});
