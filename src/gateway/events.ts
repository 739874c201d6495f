/**
 * Server-sent events: every journal entry as it becomes durable, with resumption by `Last-Event-ID`. What other
 * processes append to the same store comes within a second. What a slow reader has not taken yet lies in the store,
 * not in memory.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FeedEntry, Gate } from "../runtime/index.ts";

const KEEP_ALIVE_MS = 15_000;
/** What other processes append is looked for this often. */
const POLL_MS = 1000;
const PAGE = 500;
/** Entries that may wait in memory. */
const MAX_WAITING = 1000;

const toText = ({ position, session, entry }: FeedEntry): string =>
  `id: ${position}\nevent: ${entry.kind}\ndata: ${JSON.stringify({ session_id: session, ...entry })}\n\n`;

/** What a stream begins with. */
export interface Hello {
  /** The gateway's own version. */
  readonly version: string;
  /** The version of the policy in force. */
  readonly policy: string;
}

export interface EventStreamOptions {
  /** The position after which it begins. */
  readonly after: number;
  readonly hello: Hello;
  /** Aborted when the reader has gone. It may go before it has read anything, and then nothing else tells. */
  readonly signal: AbortSignal;
  /** Called once when the stream ends, however it does. */
  readonly onClose: () => void;
  /** Told why the stream broke off. The reader sees it end, and may resume where it was. */
  readonly onFault: (cause: unknown) => void;
}

/**
 * The stream of entries after a position, and of all that follow.
 * @throws SluicegateError `store-failed` where the store is closed; then `onClose` isn't called.
 */
export function eventStream(gate: Gate, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { after, hello, signal, onClose, onFault } = options;
  const encoder = new TextEncoder();
  const news = new News(gate, after);
  let open = true;
  const stop = news.listen();
  let isPolicyNew = false;
  // What servers offer, and what waits for a look, is part of the policy in force; not all of it is in a journal.
  const stopPolicy = gate.watchPolicy(() => {
    isPolicyNew = true;
    news.interrupt();
  });
  const end = (): void => {
    if (!open) return;
    open = false;
    signal.removeEventListener("abort", end);
    stop();
    stopPolicy();
    onClose();
  };
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  let greeted = false;
  /** What is to be sent next; null if the stream has ended. */
  const nextText = async (): Promise<string | null> => {
    if (!open) return null;
    if (!greeted) {
      greeted = true;
      return `id: ${after}\nevent: hello\ndata: ${JSON.stringify(hello)}\n\n`;
    }
    const page = await news.next();
    if (page === null) return null;
    if (isPolicyNew && page.length === 0) {
      isPolicyNew = false;
      return `event: policy-changed\ndata: ${JSON.stringify({ policy: gate.policy.version })}\n\n`;
    }
    return page.length === 0 ? ": still here\n\n" : page.map(toText).join("");
  };
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const text = await nextText().catch((cause: unknown) => {
        onFault(cause);
        end();
        return null;
      });
      if (text === null) controller.close();
      else controller.enqueue(encoder.encode(text));
    },
    cancel: end,
  });
}

/** Entries in order, each once: from the store until that is caught up, then as this process appends them. */
class News {
  readonly #gate: Gate;
  #position: number;
  readonly #waiting: FeedEntry[] = [];
  /** Whether the store may have more than waits here. */
  #isBehind = true;
  #isOpen = true;
  #isInterrupted = false;
  #wake: () => void = () => {};

  constructor(gate: Gate, after: number) {
    this.#gate = gate;
    this.#position = after;
  }

  /** Begins to listen; answers how to stop. */
  listen(): () => void {
    const stop = this.#gate.watch((entries) => {
      if (!this.#isBehind) this.#waiting.push(...entries);
      if (this.#waiting.length > MAX_WAITING) this.#fallBehind();
      this.#wake();
    });
    const looking = setInterval(() => {
      this.#fallBehind();
      this.#wake();
    }, POLL_MS);
    return () => {
      stop();
      clearInterval(looking);
      this.#isOpen = false;
      this.#waiting.length = 0;
      this.#wake();
    };
  }

  /** Has `next` answer soon, though nothing may have been appended. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#wake();
  }

  /** The next entries; none if nothing has happened for a while, or it was interrupted; null once it is over. */
  async next(): Promise<readonly FeedEntry[] | null> {
    const until = performance.now() + KEEP_ALIVE_MS;
    while (this.#isOpen) {
      const page = await this.#read();
      if (!this.#isOpen) return null;
      const last = page.at(-1);
      if (last) {
        this.#position = last.position;
        return page;
      }
      if (this.#isInterrupted || performance.now() >= until) {
        this.#isInterrupted = false;
        return [];
      }
      if (this.#waiting.length === 0 && !this.#isBehind)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
    return null;
  }

  /** What waits is in the store as well. */
  #fallBehind(): void {
    this.#isBehind = true;
    this.#waiting.length = 0;
  }

  async #read(): Promise<readonly FeedEntry[]> {
    if (!this.#isBehind) {
      const entries = this.#waiting.splice(0, PAGE).filter(({ position }) => position > this.#position);
      if (isUnbroken(this.#position, entries)) return entries;
    }
    // INVARIANT: what another process appended in between comes first, so nothing is passed over.
    this.#isBehind = false;
    // A reader that asks for the whole journal leaves others their turn.
    await nextTurn();
    const page = await this.#gate.feed(this.#position, PAGE);
    if (page.length === PAGE) this.#fallBehind();
    return page;
  }
}

const isUnbroken = (after: number, entries: readonly FeedEntry[]): boolean =>
  entries.every(({ position }, at) => position === after + at + 1);
