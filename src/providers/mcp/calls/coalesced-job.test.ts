import { expect, it } from "vitest";
import { createManualSchedule } from "../upstream.test-kit.ts";
import { createCoalescedJob } from "./coalesced-job.ts";

/** A job that takes as long as it is told. */
function createSlowJob(): { job: () => Promise<void>; runs(): number; finish(): Promise<void> } {
  let runs = 0;
  let end = (): void => {};
  return {
    job: () => {
      runs += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    },
    runs: () => runs,
    finish: async () => {
      end();
      await new Promise(setImmediate);
    },
  };
}

it("does a job at once, once more for all who asked meanwhile, and never twice within the pause", async () => {
  const { schedule, elapse } = createManualSchedule();
  const { job, runs, finish } = createSlowJob();
  const coalesced = createCoalescedJob(job, 1000, schedule);
  coalesced.trigger();
  coalesced.trigger();
  coalesced.trigger();
  expect(runs()).toBe(1);
  await finish();
  expect(runs()).toBe(1);
  elapse(1000);
  expect(runs()).toBe(2);
  await finish();
  coalesced.trigger();
  expect(runs()).toBe(2);
  elapse(1000);
  expect(runs()).toBe(3);
  await finish();
  elapse(1000);
  expect(runs()).toBe(3);
});

it("does nothing more once it was stopped", async () => {
  const { schedule, delays } = createManualSchedule();
  const { job, runs, finish } = createSlowJob();
  const coalesced = createCoalescedJob(job, 1000, schedule);
  coalesced.trigger();
  coalesced.trigger();
  coalesced.stop();
  await finish();
  coalesced.trigger();
  expect(runs()).toBe(1);
  expect(delays()).toEqual([]);
});
