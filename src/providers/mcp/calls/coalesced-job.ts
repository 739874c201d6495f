/** A job that many may request. It never runs twice at a time, nor twice within a pause. */
import type { Schedule } from "./schedule.ts";

export interface CoalescedJob {
  /** Starts the job, or starts it again after the present run and the pause. */
  trigger(): void;
  stop(): void;
}

/** `job` must not reject. */
export function createCoalescedJob(
  job: () => Promise<void>,
  pauseMs: number,
  schedule: Schedule,
): CoalescedJob {
  let state: "idle" | "busy" | "wanted" | "stopped" = "idle";
  let stopPause = (): void => {};
  const isStopped = (): boolean => state === "stopped";

  const start = async (): Promise<void> => {
    state = "busy";
    await job();
    if (isStopped()) return;
    stopPause = schedule(() => {
      const isWanted = state === "wanted";
      state = "idle";
      if (isWanted) void start();
    }, pauseMs);
  };
  return {
    trigger: () => {
      if (state === "idle") void start();
      else if (state === "busy") state = "wanted";
    },
    stop: () => {
      state = "stopped";
      stopPause();
    },
  };
}
