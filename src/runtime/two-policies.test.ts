/** Two gates with two policies on one store, as in a roll-out: each decides by its own, whatever the other said before. */
import { expect, it } from "vitest";
import { definePolicy, type PolicyDeclaration } from "../core/index.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createGate } from "./index.ts";

const OLD: PolicyDeclaration = {
  levels: ["public", "internal", "confidential", "restricted"],
  tools: {
    read: { permissions: ["read"], source: { level: "internal" } },
    read_restricted: { permissions: ["read"], source: { level: "restricted" } },
    post: { permissions: ["connect"], sink: [{ level: "restricted" }] },
    pay: { permissions: ["write"], approval: "always" },
    note: { permissions: ["write"] },
  },
  roles: { clerk: { tools: ["note", "pay"] } },
};
/** Stricter, and without the old one's highest level and role. */
const NEW: PolicyDeclaration = {
  levels: ["public", "internal", "confidential"],
  tools: {
    read: { permissions: ["read"], source: { level: "internal" } },
    post: { permissions: ["connect"], sink: [{ level: "internal" }] },
    pay: { permissions: ["write"], approval: "always" },
    note: { permissions: ["write"], approval: "always" },
  },
};

function start() {
  const store = createMemoryStore();
  const digestKey = new Uint8Array(32).fill(5);
  const gateBy = (declaration: PolicyDeclaration, version: string) =>
    createGate({ policy: definePolicy(declaration, { version }), store, digestKey });
  return { here: gateBy(OLD, "old"), there: gateBy(NEW, "new") };
}

const call = async (session: { decide: any }, tool: string) =>
  (await session.decide([{ tool, arguments: { amount: 1 } }]))[0];
const at = async (gate: ReturnType<typeof start>["here"], id: string) => {
  const session = await gate.session(id);
  if (session === null) throw new Error("There is no such session.");
  return session;
};

it("a yes under one policy admits nothing under the other, in either direction (X16, D6-binding)", async () => {
  const { here, there } = start();
  for (const [one, other] of [
    [here, there],
    [there, here],
  ] as const) {
    const own = await one.open({ principal: "ada" });
    const same = await at(other, own.id);
    const { approval } = await call(own, "pay");
    expect(await other.approval(approval.id)).toMatchObject({ outcome: "cancelled" });
    await expect(other.answerApproval(approval.id, { answer: "approved", by: "bo" })).rejects.toThrow();
    await one.answerApproval(approval.id, { answer: "approved", by: "bo" });
    expect(await call(same, "pay")).toMatchObject({ effect: "ask" });
    expect(await call(own, "pay")).toMatchObject({ effect: "allow" });
  }
});

it("a plan that was approved under one policy isn't a lease under the other (X16, X6)", async () => {
  const { here, there } = start();
  const own = await here.open({ principal: "ada" });
  const planned = await own.plan(["pay", "note"].map((tool) => ({ tool, arguments: { amount: 1 } })));
  await here.answerApproval(planned.approval?.id ?? "", { answer: "approved", by: "bo" });
  const same = await at(there, own.id);
  expect(await call(same, "pay")).toMatchObject({ effect: "ask" });
  expect(await call(same, "note")).toMatchObject({ effect: "ask" });
  expect(await call(own, "pay")).toMatchObject({ effect: "allow" });
});

it("a label that the other gave counts, as the highest where its level isn't known (X16)", async () => {
  const { here, there } = start();
  const own = await here.open({ principal: "ada" });
  await call(own, "read_restricted");
  const same = await at(there, own.id);
  expect(await call(same, "post")).toMatchObject({ effect: "deny" });
  await call(same, "read");
  expect((await at(here, own.id)).label.level).toBe("restricted");
  expect(await call(own, "post")).toMatchObject({ effect: "allow" });
});

it("a role that the policy doesn't have gives nothing (X16)", async () => {
  const { here, there } = start();
  const own = await here.open({ principal: "ada", role: "clerk" });
  expect(await call(own, "note")).toMatchObject({ effect: "allow" });
  const same = await at(there, own.id);
  expect(await call(same, "note")).toMatchObject({ effect: "deny" });
});
