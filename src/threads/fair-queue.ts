/**
 * Work that waits for a thread, a queue for each label holder. They take turns, so that a flood by one delays the
 * others by one item each and costs none of them a result.
 */

/** Items of one label holder that wait, in number and in characters: a hundred calls at once are ordinary. */
const MAX_ITEMS = 4096;
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Characters that wait in all. */
const MAX_ALL_CHARACTERS = 4 * MAX_CHARACTERS;

export interface QueuedItem {
  readonly labelHolder: string;
  /** In characters. */
  readonly length: number;
  /** Called where it lost its place to others. */
  drop(): void;
}

interface Queue<Item> {
  readonly items: Item[];
  characters: number;
}

export class FairQueue<Item extends QueuedItem> {
  /** INVARIANT: the label holder whose turn is next stands first, and none is here that has nothing waiting. */
  readonly #queues = new Map<string, Queue<Item>>();
  readonly #maxItems: number;
  #characters = 0;

  /** @param maxItems of one label holder */
  constructor(maxItems: number = MAX_ITEMS) {
    this.#maxItems = maxItems;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** False if its label holder has too many already. */
  add(item: Item): boolean {
    const queue = this.#queues.get(item.labelHolder) ?? { items: [], characters: 0 };
    if (queue.items.length >= this.#maxItems || queue.characters + item.length > MAX_CHARACTERS) return false;
    queue.items.push(item);
    queue.characters += item.length;
    this.#characters += item.length;
    this.#queues.set(item.labelHolder, queue);
    while (this.#characters > MAX_ALL_CHARACTERS) this.#dropFromLongest();
    return true;
  }

  /** The next item, of a label holder that isn't excluded; undefined if there is none. */
  take(isExcluded: (labelHolder: string) => boolean): Item | undefined {
    for (const [labelHolder, queue] of this.#queues) {
      if (isExcluded(labelHolder)) continue;
      const item = queue.items.shift();
      this.#queues.delete(labelHolder);
      if (item === undefined) continue;
      this.#count(queue, -item.length);
      if (queue.items.length > 0) this.#queues.set(labelHolder, queue);
      return item;
    }
    return undefined;
  }

  /** THREAT: who holds most of the room pays for it, and nobody else. */
  #dropFromLongest(): void {
    const longest = [...this.#queues].reduce((one, other) =>
      other[1].characters > one[1].characters ? other : one,
    );
    const [labelHolder, queue] = longest;
    const item = queue.items.pop();
    if (queue.items.length === 0) this.#queues.delete(labelHolder);
    if (item === undefined) return;
    this.#count(queue, -item.length);
    item.drop();
  }

  #count(queue: Queue<Item>, characters: number): void {
    queue.characters += characters;
    this.#characters += characters;
  }
}
