/** Several people must say yes to a call, each of them another one; and nobody to a call of their own agent. */
import { expect, it } from "vitest";
import { definePolicy, type PolicyDeclaration } from "../../core/index.ts";
import { createMemoryStore } from "../../stores/index.ts";
import { createGate } from "../gate.ts";

const TOOLS = {
  pay: { permissions: ["write"], approval: "always", approvers: 2 },
  note: { permissions: ["write"], approval: "always" },
} as const;

const gateOf = (policy: PolicyDeclaration = {}) =>
  createGate({ policy: definePolicy({ tools: TOOLS, ...policy }), store: createMemoryStore() });

type TestGate = ReturnType<typeof gateOf>;

async function ask(gate: TestGate, tool = "pay", args = {}) {
  const session = await gate.open({ principal: "ada" });
  let runs = 0;
  const run = () =>
    session.call({ tool, arguments: args }, async () => {
      runs += 1;
    });
  const asked = await run();
  const id = asked.approval?.id ?? "";
  const yes = (by: string) => gate.answerApproval(id, { answer: "approved", by });
  return { session, id, run, yes, runs: () => runs };
}

const kinds = async (session: { journal(after?: number): Promise<readonly { kind: string }[]> }) =>
  (await session.journal()).map(({ kind }) => kind);

it("runs a call once two people have said yes, and once only (D6-binding)", async () => {
  const gate = gateOf();
  const { session, id, run, yes, runs } = await ask(gate);
  expect(await yes("bob")).toMatchObject({ outcome: "pending", approvers: 2, signers: ["bob"] });
  expect((await run()).effect).toBe("ask");
  expect(runs()).toBe(0);
  expect(await gate.approval(id)).toMatchObject({ approvers: 2, signers: ["bob"] });
  const [listed] = await gate.pendingApprovals({ fold: 100 });
  expect(listed).toMatchObject({ id, approvers: 2, signers: ["bob"] });
  expect(await yes("cyd")).toMatchObject({ outcome: "approved", by: "cyd", signers: ["bob", "cyd"] });
  expect([(await run()).effect, (await run()).effect, runs()]).toEqual(["allow", "ask", 1]);
  expect((await kinds(session)).filter((kind) => kind.startsWith("approval-"))).toEqual([
    "approval-requested",
    "approval-signed",
    "approval-answered",
    "approval-requested",
  ]);
});

it("counts nobody twice, whenever they say it", async () => {
  const { session, yes, run } = await ask(gateOf());
  for (let time = 0; time < 3; time += 1)
    expect(await yes("bob")).toMatchObject({ outcome: "pending", signers: ["bob"] });
  await Promise.all([yes("bob"), yes("bob")]);
  expect((await run()).effect).toBe("ask");
  expect((await kinds(session)).filter((kind) => kind === "approval-signed")).toHaveLength(1);
  expect(await yes("operator")).toMatchObject({ outcome: "approved" });
  expect(await yes("bob")).toMatchObject({ outcome: "approved" });
});

it("counts each of several who answer at once, and lets the call run once", async () => {
  const { yes, run, runs, session } = await ask(gateOf());
  const answers = await Promise.allSettled(["bob", "cyd", "dan", "eve"].map(yes));
  const outcomes = answers.map((one) => (one.status === "fulfilled" ? one.value.outcome : one.reason.code));
  expect(outcomes.sort()).toEqual(["approval-settled", "approval-settled", "approved", "pending"]);
  const runsOf = await Promise.all([run(), run(), run()]);
  expect(runsOf.filter(({ effect }) => effect === "allow")).toHaveLength(1);
  expect(runs()).toBe(1);
  expect((await kinds(session)).filter((kind) => kind === "approval-answered")).toHaveLength(1);
});

it("ends with one no, whoever said yes before", async () => {
  const gate = gateOf();
  const { id, yes, run } = await ask(gate);
  await yes("bob");
  expect(await gate.answerApproval(id, { answer: "denied", by: "cyd" })).toMatchObject({ outcome: "denied" });
  await expect(yes("dan")).rejects.toMatchObject({ code: "approval-settled" });
  expect((await run()).effect).toBe("deny");
});

it("takes what asks for most of the policy, the tool and the rules that ask", async () => {
  const rules = [
    { name: "big", when: { when: "big", holds: () => true }, effect: "ask", approvers: 3 },
  ] as const;
  const needed = async (policy: PolicyDeclaration, tool: string) => {
    const gate = gateOf(policy);
    const { id } = await ask(gate, tool);
    const found = await gate.approval(id);
    return "approvers" in found ? found.approvers : 1;
  };
  expect(await needed({}, "note")).toBe(1);
  expect(await needed({ rules }, "pay")).toBe(3);
  expect(await needed({ approvals: { approvers: 2 } }, "note")).toBe(2);
});

it("takes neither changed arguments, a standing approval nor a client's yes", async () => {
  const gate = gateOf({ approvals: { via: ["console", "client"] } });
  const { id } = await ask(gate);
  const answer = (given: object) =>
    gate.answerApproval(id, { answer: "approved", by: "bob", ...given }).catch(({ code }) => code);
  expect(await answer({ arguments: {} })).toBe("edit-refused");
  expect(await answer({ standing: {} })).toBe("standing-refused");
  expect(await answer({ via: "client" })).toBe("forbidden");
});

it("asks as many people for a plan as for its calls", async () => {
  const gate = gateOf();
  const session = await gate.open();
  const planned = await session.plan([{ tool: "pay", arguments: {} }]);
  const id = planned.approval?.id ?? "";
  const yes = (by: string) => gate.answerApproval(id, { answer: "approved", by });
  expect((await yes("bob")).outcome).toBe("pending");
  expect((await session.call({ tool: "pay", arguments: {} }, async () => {})).effect).toBe("ask");
  expect((await yes("cyd")).outcome).toBe("approved");
  expect((await session.call({ tool: "pay", arguments: {} }, async () => {})).effect).toBe("allow");
});

it("lets no standing approval cover calls of the agent of whoever gave it, where the policy says so", async () => {
  const call = async (own: boolean) => {
    const gate = gateOf({ approvals: { own }, roles: { clerk: { tools: ["note"] } } });
    const openFor = (principal: string) => gate.open({ principal, role: "clerk" });
    const note = async (principal: string) =>
      (await openFor(principal)).call({ tool: "note", arguments: {} }, async () => {});
    const { approval } = await note("bob");
    const standing = { for: "role" } as const;
    await gate.answerApproval(approval?.id ?? "", { answer: "approved", by: "ada", standing });
    return [(await note("ada")).effect, (await note("bob")).effect];
  };
  expect(await call(true)).toEqual(["allow", "allow"]);
  expect(await call(false)).toEqual(["ask", "allow"]);
});

it("lets nobody approve a call of their own agent where the policy says so, and deny it", async () => {
  const gate = gateOf({ approvals: { own: false } });
  const { id, yes } = await ask(gate, "note");
  await expect(yes("ada")).rejects.toMatchObject({ code: "forbidden" });
  expect((await yes("bob")).outcome).toBe("approved");
  const other = await ask(gate, "note", { text: "x" });
  expect(await gate.answerApproval(other.id, { answer: "denied", by: "ada" })).toMatchObject({ by: "ada" });
  expect(id).not.toBe(other.id);
});
