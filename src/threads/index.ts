/** Threads that answer requests within a time, so that long work never holds up whoever waits for it; and turns. */
export {
  Counts,
  type Member,
  memberOf,
  OwnerCounts,
  SHARE_KEPT,
  SHARE_OF_HOLDER,
  SHARE_OF_PARTY,
} from "./counts.ts";
export { currentOwner, inTurnOf } from "./current-owner.ts";
export { FairPlaces } from "./fair-places.ts";
export {
  FairQueue,
  NOBODY,
  ownerOf,
  partyOf,
  type QueuedItem,
  type TurnOwner,
} from "./fair-queue.ts";
export { inTurns, isTurnOver, nextTurnOf, TURN_MS, TurnQueue } from "./shared-turns.ts";
export { startThread, type Thread } from "./thread.ts";
export { TokenBuckets } from "./token-buckets.ts";
