/** Threads that answer requests within a time, so that long work never holds up whoever waits for it. */
export { startThread, type Thread } from "./thread.ts";
