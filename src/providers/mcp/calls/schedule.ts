/** Calls back once after a delay in milliseconds; taken as a parameter wherever something waits. Returns how to stop. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

export const systemSchedule: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
