import { expect, it } from "vitest";
import { createMemoryStore } from "../stores/memory.ts";
import { GATEWAY_CHAIN } from "./journal/gateway-chain.ts";
import { verifyStore } from "./journal/verify-store.ts";
import { type OtherPolicy, PolicyAnnouncements } from "./policy-announcements.ts";

function start() {
  const store = createMemoryStore();
  let minute = 0;
  const clock = { now: () => new Date(Date.UTC(2026, 0, 1, 0, minute++)) };
  const gateway = (id: string, version: string) => {
    const told: OtherPolicy[] = [];
    const state = { version };
    const announcements = new PolicyAnnouncements({
      store,
      clock,
      id,
      policyVersion: () => state.version,
      onOther: (other) => told.push(other),
    });
    return { announcements, told, state };
  };
  const said = async () =>
    (await store.read(GATEWAY_CHAIN, 0, 99)).map(({ policy, data }) => [data.by, policy, data.occasion]);
  return { store, gateway, said };
}

it("is news once, however often gateways with one policy start", async () => {
  const { gateway, said } = start();
  const [a, b] = [gateway("a", "one"), gateway("b", "one")];
  expect([await a.announcements.announce(), await b.announcements.announce()]).toEqual([null, null]);
  await a.announcements.look();
  await b.announcements.look();
  expect(await said()).toEqual([["a", "one", "begun"]]);
  expect([a.announcements.other, b.announcements.other]).toEqual([null, null]);
});

it("both sides hear of another policy, once, and that it is over after a reload (X16)", async () => {
  const { store, gateway, said } = start();
  const [a, b] = [gateway("a", "one"), gateway("b", "two")];
  await a.announcements.announce();
  expect(await b.announcements.announce()).toMatchObject({ version: "one" });
  expect(b.announcements.other).toBeNull();
  for (const one of [a, b, a, b]) await one.announcements.look();
  expect([a.told, b.told]).toMatchObject([[{ version: "two" }], [{ version: "one" }]]);
  expect(a.announcements.other).toEqual({ version: "two", since: "2026-01-01T00:01:00.000Z" });
  a.state.version = "two";
  await a.announcements.announce();
  for (const one of [a, b]) await one.announcements.look();
  expect([a.announcements.other, b.announcements.other]).toEqual([null, null]);
  expect(await said()).toEqual([
    ["a", "one", "begun"],
    ["b", "two", "begun"],
    ["a", "one", "still"],
    ["a", "two", "begun"],
  ]);
  expect(await verifyStore(store)).toMatchObject({ ok: true });
});

it("is over, too, when the gateway that decided otherwise stops, or this one starts again (X16)", async () => {
  const { gateway } = start();
  const [a, b] = [gateway("a", "one"), gateway("b", "two")];
  await a.announcements.announce();
  await b.announcements.announce();
  for (const one of [a, b]) await one.announcements.look();
  await b.announcements.end();
  await a.announcements.look();
  expect(a.announcements.other).toBeNull();
  const c = gateway("c", "three");
  await c.announcements.announce();
  await a.announcements.look();
  expect(a.announcements.other).toMatchObject({ version: "three" });
  // Killed, and started again.
  const again = gateway("a2", "one");
  await again.announcements.announce();
  await again.announcements.look();
  expect(again.announcements.other).toBeNull();
  // Unless the other one still runs.
  await c.announcements.look();
  await again.announcements.look();
  expect(again.told).toMatchObject([{ version: "three" }]);
});

it("each of several hears of one that decides otherwise, whoever of them answers first (X16)", async () => {
  const { gateway } = start();
  const [a, b, c] = [gateway("a", "one"), gateway("b", "one"), gateway("c", "two")];
  const others = () => [a, b, c].map(({ announcements }) => announcements.other?.version ?? null);
  for (const one of [a, b, c]) await one.announcements.announce();
  for (const one of [a, b, c, a, b, c]) await one.announcements.look();
  expect(others()).toEqual(["two", "two", "one"]);
  expect([a.told.length, b.told.length, c.told.length]).toEqual([1, 1, 1]);
  for (const [one, expected] of [
    [b, ["two", "one", "one"]],
    [a, [null, null, null]],
  ] as const) {
    one.state.version = "two";
    await one.announcements.announce();
    for (const each of [a, b, c, a, b, c]) await each.announcements.look();
    expect(others()).toEqual(expected);
  }
});
