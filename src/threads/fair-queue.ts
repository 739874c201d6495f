/**
 * Work that waits for a thread. Principals alternate, and the label holders of each, so that a flood by one delays the
 * others by one item each and costs none of them a result.
 */

/** Items of one label holder that wait, in number and in characters: a hundred calls at once are ordinary. */
const MAX_ITEMS = 4096;
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Characters that wait in all. */
const MAX_ALL_CHARACTERS = 4 * MAX_CHARACTERS;

/** Whose work it is; without a principal, it belongs to no session. */
export interface TurnOwner {
  readonly labelHolder: string;
  readonly principal: string | null;
}

/** Whose work belongs to no session and nobody named. */
export const NOBODY: TurnOwner = Object.freeze({ labelHolder: "", principal: null });

/** The owner that a call names; undefined if it names none. */
export const ownerOf = ({
  labelHolder,
  principal,
}: {
  readonly labelHolder?: string;
  readonly principal?: string;
}): TurnOwner | undefined =>
  labelHolder === undefined ? undefined : { labelHolder, principal: principal ?? null };

/** All owners with one principal are one party; an owner without one is a party of its own. */
export const partyOf = ({ labelHolder, principal }: TurnOwner): string =>
  principal === null ? labelHolder : `sessions of ${principal}`;

export interface QueuedItem {
  readonly owner: TurnOwner;
  /** In characters. */
  readonly length: number;
  /** Called where it lost its place to others. */
  drop(): void;
}

/** What waits of one label holder, in order. */
interface Queue<Item> {
  readonly items: Item[];
  characters: number;
}

/** What waits of one party, by label holder. */
interface Party<Item> {
  readonly queues: Map<string, Queue<Item>>;
  characters: number;
}

/** How many of each run already. */
interface Running {
  readonly parties: { of(party: string): number };
  readonly holders: { of(labelHolder: string): number };
}

/** How many of each may run. */
interface Share {
  readonly party: number;
  readonly holder: number;
}

const NONE = { of: () => 0 };
const NOTHING: Running = { parties: NONE, holders: NONE };
const ALL: Share = { party: Number.POSITIVE_INFINITY, holder: Number.POSITIVE_INFINITY };

interface Chosen<Item> {
  readonly name: string;
  readonly party: Party<Item>;
  readonly labelHolder: string;
}

/**
 * Who is next of those that haven't their share. By turns, a party's quick work doesn't wait for slow work of its own; by
 * the fewest running, slow work doesn't take the places of quick work of others.
 */
type Order = "turns" | "fewest";

/** The label holder that is next. Few of those who wait have any running, so it is found soon. */
function nextIn<Item>(
  { queues }: Party<Item>,
  { holders }: Running,
  most: number,
  order: Order,
): string | undefined {
  let [found, fewest]: [string | undefined, number] = [undefined, most];
  for (const labelHolder of queues.keys()) {
    const count = holders.of(labelHolder);
    if (count < fewest) [found, fewest] = [labelHolder, count];
    if (found !== undefined && (order === "turns" || fewest === 0)) break;
  }
  return found;
}

export class FairQueue<Item extends QueuedItem> {
  /** INVARIANT: whose turn is next stands first, here and in each party, and none is here that has nothing waiting. */
  readonly #parties = new Map<string, Party<Item>>();
  readonly #maxItems: number;
  #characters = 0;

  /** @param maxItems of one label holder */
  constructor(maxItems: number = MAX_ITEMS) {
    this.#maxItems = maxItems;
  }

  get isEmpty(): boolean {
    return this.#parties.size === 0;
  }

  /** False if its label holder has too many already. */
  add(item: Item): boolean {
    const { labelHolder } = item.owner;
    const name = partyOf(item.owner);
    const party: Party<Item> = this.#parties.get(name) ?? { queues: new Map(), characters: 0 };
    const queue: Queue<Item> = party.queues.get(labelHolder) ?? { items: [], characters: 0 };
    if (queue.items.length >= this.#maxItems || queue.characters + item.length > MAX_CHARACTERS) return false;
    queue.items.push(item);
    party.queues.set(labelHolder, queue);
    this.#parties.set(name, party);
    this.#count(party, queue, item.length);
    while (this.#characters > MAX_ALL_CHARACTERS) this.#dropFromLongest();
    return true;
  }

  /**
   * The next item, undefined if all who wait have their share. Parties that are alike in the order alternate, and the label
   * holders of each.
   */
  take(running: Running = NOTHING, share: Share = ALL, order: Order = "turns"): Item | undefined {
    let [found, fewest]: [Chosen<Item> | undefined, number] = [undefined, share.party];
    for (const [name, party] of this.#parties) {
      const count = running.parties.of(name);
      // THREAT: thousands of label holders of a party that has its share may wait.
      const labelHolder = count < fewest ? nextIn(party, running, share.holder, order) : undefined;
      if (labelHolder !== undefined) [found, fewest] = [{ name, party, labelHolder }, count];
      if (found !== undefined && (order === "turns" || fewest === 0)) break;
    }
    return found && this.#takeFrom(found);
  }

  #takeFrom({ name, party, labelHolder }: Chosen<Item>): Item | undefined {
    const queue = party.queues.get(labelHolder);
    const item = queue?.items.shift();
    if (queue === undefined || item === undefined) return undefined;
    this.#count(party, queue, -item.length);
    toEnd(party.queues, labelHolder, queue.items.length === 0);
    toEnd(this.#parties, name, party.queues.size === 0);
    return item;
  }

  /** Has all others be next before this owner, such as after work of it that took long. */
  defer(owner: TurnOwner): void {
    const name = partyOf(owner);
    const party = this.#parties.get(name);
    if (party === undefined) return;
    toEnd(party.queues, owner.labelHolder, !party.queues.has(owner.labelHolder));
    toEnd(this.#parties, name, false);
  }

  /** Takes out an item, where it still waits. */
  remove(item: Item): void {
    const name = partyOf(item.owner);
    const party = this.#parties.get(name);
    const queue = party?.queues.get(item.owner.labelHolder);
    const at = queue?.items.indexOf(item) ?? -1;
    if (party === undefined || queue === undefined || at < 0) return;
    queue.items.splice(at, 1);
    this.#count(party, queue, -item.length);
    if (queue.items.length === 0) party.queues.delete(item.owner.labelHolder);
    if (party.queues.size === 0) this.#parties.delete(name);
  }

  /** THREAT: who holds most of the room pays for it, and nobody else. */
  #dropFromLongest(): void {
    const [name, party] = longestOf(this.#parties);
    const [labelHolder, queue] = longestOf(party.queues);
    const item = queue.items.pop();
    if (queue.items.length === 0) party.queues.delete(labelHolder);
    if (party.queues.size === 0) this.#parties.delete(name);
    if (item === undefined) return;
    this.#count(party, queue, -item.length);
    item.drop();
  }

  #count(party: Party<Item>, queue: Queue<Item>, characters: number): void {
    queue.characters += characters;
    party.characters += characters;
    this.#characters += characters;
  }
}

function toEnd<Value>(map: Map<string, Value>, key: string, isEmpty: boolean): void {
  const value = map.get(key);
  map.delete(key);
  if (value !== undefined && !isEmpty) map.set(key, value);
}

const longestOf = <Value extends { readonly characters: number }>(map: ReadonlyMap<string, Value>) =>
  [...map].reduce((one, other) => (other[1].characters > one[1].characters ? other : one));
