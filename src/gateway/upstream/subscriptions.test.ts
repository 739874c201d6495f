import { expect, it } from "vitest";
import type { Connection } from "./connection.ts";
import { Subscriptions } from "./subscriptions.ts";
import { createManualSchedule } from "./upstream.test-kit.ts";

it("tells of a resource that changes without pause once in each pause, and of others meanwhile (X14)", async () => {
  const timers = createManualSchedule();
  const subscriptions = new Subscriptions({ pauseMs: 100, schedule: timers.schedule });
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
