/** How much of something shared there is, by whose it is. */
import { partyOf, type TurnOwner } from "./fair-queue.ts";

/** The part of what is shared that one principal may have, so that the others always find some. */
export const SHARE_OF_PARTY = 7 / 8;
/** The part that one label holder may have. */
export const SHARE_OF_HOLDER = 1 / 4;
/** The part that each principal may have whatever the others have. */
export const SHARE_KEPT = 1 / 32;

/** Amounts by name. Who has nothing takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();
  /** Of all together. */
  total = 0;

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** A negative amount is taken away. */
  add(name: string, more: number): void {
    const count = this.of(name) + more;
    this.total += more;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }

  /** Who has most; empty if nobody has anything. */
  most(): string {
    let [most, name] = [0, ""];
    for (const [other, count] of this.#counts) if (count > most) [most, name] = [count, other];
    return name;
  }
}

/** Whose something is, by the names that it is counted by. */
export interface Member {
  readonly labelHolder: string;
  readonly party: string;
}

export const memberOf = (owner: TurnOwner): Member => ({
  labelHolder: owner.labelHolder,
  party: partyOf(owner),
});

/** Amounts by label holder, and by party. */
export class OwnerCounts {
  readonly holders = new Counts();
  readonly parties = new Counts();

  /** Of all together. */
  get total(): number {
    return this.holders.total;
  }

  /**
   * Whether a member may have more, where there are `most` of all together. Whoever has little always may, since others
   * might have all of it.
   */
  hasRoom({ labelHolder, party }: Member, most: number): boolean {
    const ofParty = this.parties.of(party);
    const isWithin = this.total <= most && ofParty <= most * SHARE_OF_PARTY;
    return (
      ofParty < most * SHARE_KEPT || (isWithin && this.holders.of(labelHolder) <= most * SHARE_OF_HOLDER)
    );
  }

  add({ labelHolder, party }: Member, more: number): void {
    this.holders.add(labelHolder, more);
    this.parties.add(party, more);
  }
}
