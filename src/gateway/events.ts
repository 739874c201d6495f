/**
 * Server-sent events: every journal entry as it becomes durable, with resumption by `Last-Event-ID`. A reader that
 * is too slow is let go, and resumes where it was.
 */
import type { FeedEntry, Gate } from "../session/index.ts";

const KEEP_ALIVE_MS = 15_000;
const PAGE = 500;
/** Entries that may wait for a slow reader. */
const MOST_WAITING = 10_000;

const toText = ({ position, session, entry }: FeedEntry): string =>
  `id: ${position}\nevent: ${entry.kind}\ndata: ${JSON.stringify({ session_id: session, ...entry })}\n\n`;

export interface EventStreamOptions {
  /** The position after which it begins. */
  readonly after: number;
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
  const { after, signal, onClose, onFault } = options;
  const encoder = new TextEncoder();
  const waiting: FeedEntry[] = [];
  let wake: (() => void) | null = null;
  let open = true;
  const stop = gate.watch((entries) => {
    waiting.push(...entries);
    if (waiting.length > MOST_WAITING) end();
    wake?.();
  });
  const timer = setInterval(() => wake?.(), KEEP_ALIVE_MS);
  const end = (): void => {
    if (!open) return;
    open = false;
    clearInterval(timer);
    signal.removeEventListener("abort", end);
    stop();
    waiting.length = 0;
    onClose();
    wake?.();
  };
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  let position = after;
  let caughtUp = false;
  /** The next entries in order, each once: from the store until it is caught up, then as they come in. */
  const next = async (): Promise<readonly FeedEntry[]> => {
    if (caughtUp) return waiting.splice(0, PAGE).filter((entry) => entry.position > position);
    const page = await gate.feed(position, PAGE);
    caughtUp = page.length < PAGE;
    return page;
  };
  /** What is to be sent next; null where the stream has ended. */
  const nextText = async (): Promise<string | null> => {
    if (!open) return null;
    const page = await next();
    position = page.at(-1)?.position ?? position;
    if (page.length > 0) return page.map(toText).join("");
    if (waiting.length === 0 && open) await new Promise<void>((resolve) => (wake = resolve));
    if (!open) return null;
    return waiting.length === 0 ? ": still here\n\n" : "";
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
