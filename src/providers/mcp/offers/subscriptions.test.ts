import { describe, expect, it } from "vitest";
import type { Connection } from "../transport/connection.ts";
import { createManualSchedule } from "../upstream.test-kit.ts";
import { Subscriptions } from "./subscriptions.ts";

it("tells of a resource that changes without pause once in each pause, and of others meanwhile (X14)", async () => {
  const timers = createManualSchedule();
  const subscriptions = new Subscriptions({
    pauseMs: 100,
    leaseMs: 5000,
    most: 8,
    schedule: timers.schedule,
  });
  const connection: Pick<Connection, "subscribe"> = { subscribe: async () => async () => {} };
  subscriptions.use(connection as Connection);
  const heard: string[] = [];
  const stop = await subscriptions.add("a://busy", () => heard.push("busy"));
  await subscriptions.add("a://calm", () => heard.push("calm"));
  const flood = (): void => {
    for (let count = 0; count < 1000; count += 1) subscriptions.updated("a://busy");
  };
  flood();
  subscriptions.updated("a://calm");
  subscriptions.updated("a://unknown");
  await Promise.resolve();
  expect(heard).toEqual(["busy", "calm"]);
  flood();
  timers.elapse(100);
  await Promise.resolve();
  expect(heard).toEqual(["busy", "calm", "busy"]);
  stop();
  flood();
  timers.elapse(100);
  expect(heard.length).toBe(3);
});

describe("subscriptions that callers share a server for", () => {
  const start = () => {
    const timers = createManualSchedule();
    const limits = { pauseMs: 100, leaseMs: 5000, most: 8 };
    const subscriptions = new Subscriptions({ ...limits, schedule: timers.schedule });
    const told: string[] = [];
    const connection: Pick<Connection, "subscribe"> = {
      subscribe: async (uri) => {
        told.push(`+${uri}`);
        return async () => void told.push(`-${uri}`);
      },
    };
    subscriptions.use(connection as Connection);
    const add = (uri: string, labelHolder: string, mayRenew = async () => true) =>
      subscriptions.add(uri, () => {}, { labelHolder, mayRenew });
    const elapse = async (): Promise<void> => {
      timers.elapse(5000);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    };
    return { add, told, elapse };
  };

  it("are a quarter for the sessions of one label, and one at least for each (X14)", async () => {
    const { add, told } = start();
    const full = { code: "limit-reached", message: "Too many resources of the server are subscribed to." };
    const [stop] = [await add("a://1", "greedy"), await add("a://2", "greedy")];
    await add("a://2", "greedy");
    await expect(add("a://3", "greedy")).rejects.toMatchObject(full);
    for (const other of ["b", "c", "d"]) for (const id of [1, 2]) await add(`${other}://${id}`, other);
    const stopLate = await add("e://1", "e");
    await expect(add("e://2", "e")).rejects.toMatchObject(full);
    for (const end of [stop, stopLate]) end();
    await add("a://3", "greedy");
    expect(told.filter((uri) => uri.startsWith("+"))).toHaveLength(10);
  });

  it("last as long as they may be renewed, and end at a time that nobody chooses (X14, law-8)", async () => {
    const { add, told, elapse } = start();
    let mayRenew = true;
    await add("a://1", "a", async () => mayRenew);
    const stop = await add("b://1", "b");
    await elapse();
    await elapse();
    expect(told).toEqual(["+a://1", "+b://1"]);
    mayRenew = false;
    await elapse();
    expect(told).toEqual(["+a://1", "+b://1", "-a://1"]);
    stop();
    await elapse();
    expect(told).toEqual(["+a://1", "+b://1", "-a://1", "-b://1"]);
    await add("a://2", "a");
    await add("a://1", "a");
  });
});
