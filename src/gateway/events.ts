/**
 * Server-sent events: every journal entry once it is durable, with resumption by `Last-Event-ID`. Entries of other
 * processes on the same store follow within a second. What a slow reader hasn't read yet stays in the store, not in
 * memory.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FeedEntry, Gate } from "../runtime/index.ts";

const KEEP_ALIVE_MS = 15_000;
/** How often to look for entries of other processes. */
const POLL_MS = 1000;
const PAGE = 500;
/** Entries that may wait in memory. */
const MAX_WAITING = 1000;

const toText = ({ position, session, entry }: FeedEntry): string =>
  `id: ${position}\nevent: ${entry.kind}\ndata: ${JSON.stringify({ session_id: session, ...entry })}\n\n`;

/** The first event of a stream. */
interface Hello {
  /** The gateway's own version. */
  readonly version: string;
  /** The version of the policy in force. */
  readonly policy: string;
}

export interface EventStreamOptions {
  /** The position after which the stream begins. */
  readonly after: number;
  readonly hello: Hello;
  /** Whether the reader may see entries of a kind; left out, all. */
  readonly maySee?: (kind: string) => boolean;
  /** Aborted when the reader has gone, perhaps before it has read anything. */
  readonly signal: AbortSignal;
  /** Called once when the stream ends, for any reason. */
  readonly onClose: () => void;
  /** Called with the error that ended the stream. The reader can resume. */
  readonly onFault: (cause: unknown) => void;
}

/**
 * The stream of all entries after a position, including future ones.
 * @throws SluicegateError `store-failed` if the store is closed; then `onClose` isn't called.
 */
export function eventStream(gate: Gate, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { after, hello, signal, onClose, onFault, maySee = () => true } = options;
  const encoder = new TextEncoder();
  const news = new News(gate, after);
  let open = true;
  const stop = news.listen();
  let isPolicyNew = false;
  // What servers offer, and what waits for review, is part of the policy in force; not all of it is in a
  // journal.
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
  /** The next text to send; null if the stream has ended. */
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
    const seen = page.filter(({ entry }) => maySee(entry.kind));
    return seen.length === 0 ? ": still here\n\n" : seen.map(toText).join("");
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

/** Entries in order, each once: from the store until that is read, then as this process appends them. */
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

  /** Starts listening; returns a function that stops it. */
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

  /** Makes `next` return soon, even if nothing was appended. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#wake();
  }

  /** The next entries; none after a while without news, or after an interruption; null at the end. */
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

  /** The waiting entries are in the store as well. */
  #fallBehind(): void {
    this.#isBehind = true;
    this.#waiting.length = 0;
  }

  async #read(): Promise<readonly FeedEntry[]> {
    if (!this.#isBehind) {
      const entries = this.#waiting.splice(0, PAGE).filter(({ position }) => position > this.#position);
      if (isUnbroken(this.#position, entries)) return entries;
    }
    // INVARIANT: entries that another process appended in between come first, so none is skipped.
    this.#isBehind = false;
    // A reader of the whole journal must not delay others.
    await nextTurn();
    const page = await this.#gate.feed(this.#position, PAGE);
    if (page.length === PAGE) this.#fallBehind();
    return page;
  }
}

const isUnbroken = (after: number, entries: readonly FeedEntry[]): boolean =>
  entries.every(({ position }, at) => position === after + at + 1);
