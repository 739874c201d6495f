import type { TurnOwner } from "./fair-queue.ts";

/** By default a principal with this one session. */
export const ownedBy = (labelHolder: string, principal = labelHolder): TurnOwner => ({
  labelHolder,
  principal,
});
