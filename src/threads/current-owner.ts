/** Whose work it is that runs now, for queues to which nobody passes it. */
import { AsyncLocalStorage } from "node:async_hooks";
import { NOBODY, type TurnOwner } from "./fair-queue.ts";

const current = new AsyncLocalStorage<TurnOwner>();

/** Calls a function whose work counts for this owner: principals take turns, and the label holders of each. */
export const inTurnOf = <Value>(owner: TurnOwner = NOBODY, work: () => Value): Value =>
  current.run(owner, work);

export const currentOwner = (): TurnOwner => current.getStore() ?? NOBODY;
