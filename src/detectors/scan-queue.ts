/**
 * Texts that wait to be looked through, a queue for each label holder. They take turns, so that a flood by one delays
 * the others by one text each and costs none of them a result.
 */

/** Texts of one label holder that wait, in number and in characters: a hundred calls at once are ordinary. */
const MAX_TEXTS = 4096;
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Characters that wait in all. */
const MAX_ALL_CHARACTERS = 4 * MAX_CHARACTERS;

export interface QueuedText {
  readonly labelHolder: string;
  readonly length: number;
  /** Called where it lost its place to others. */
  drop(): void;
}

interface Queue<Text> {
  readonly texts: Text[];
  characters: number;
}

export class ScanQueue<Text extends QueuedText> {
  /** INVARIANT: the label holder whose turn is next stands first, and none is here that has nothing waiting. */
  readonly #queues = new Map<string, Queue<Text>>();
  #characters = 0;

  /** False where its label holder has too many already. */
  add(text: Text): boolean {
    const queue = this.#queues.get(text.labelHolder) ?? { texts: [], characters: 0 };
    if (queue.texts.length >= MAX_TEXTS || queue.characters + text.length > MAX_CHARACTERS) return false;
    queue.texts.push(text);
    queue.characters += text.length;
    this.#characters += text.length;
    this.#queues.set(text.labelHolder, queue);
    while (this.#characters > MAX_ALL_CHARACTERS) this.#dropFromLongest();
    return true;
  }

  /** The next text, of a label holder that isn't excluded; undefined where there is none. */
  take(isExcluded: (labelHolder: string) => boolean): Text | undefined {
    for (const [labelHolder, queue] of this.#queues) {
      if (isExcluded(labelHolder)) continue;
      const text = queue.texts.shift();
      this.#queues.delete(labelHolder);
      if (text === undefined) continue;
      this.#count(queue, -text.length);
      if (queue.texts.length > 0) this.#queues.set(labelHolder, queue);
      return text;
    }
    return undefined;
  }

  /** THREAT: who holds most of the room pays for it, and nobody else. */
  #dropFromLongest(): void {
    const longest = [...this.#queues].reduce((one, other) =>
      other[1].characters > one[1].characters ? other : one,
    );
    const [labelHolder, queue] = longest;
    const text = queue.texts.pop();
    if (queue.texts.length === 0) this.#queues.delete(labelHolder);
    if (text === undefined) return;
    this.#count(queue, -text.length);
    text.drop();
  }

  #count(queue: Queue<Text>, characters: number): void {
    queue.characters += characters;
    this.#characters += characters;
  }
}
