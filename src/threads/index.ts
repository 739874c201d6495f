/** Threads that answer requests within a time, so that long work never holds up whoever waits for it; and turns. */
export { FairQueue, type QueuedItem } from "./fair-queue.ts";
export { isTurnOver, nextTurnOf, TURN_MS, type TurnOwner, TurnQueue } from "./shared-turns.ts";
export { startThread, type Thread } from "./thread.ts";
