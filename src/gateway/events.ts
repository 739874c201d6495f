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

/** The stream of entries after a position, and of all that follow. `onClose` is called once when it ends. */
export function eventStream(gate: Gate, after: number, onClose: () => void): ReadableStream<Uint8Array> {
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
    stop();
    onClose();
    wake?.();
  };
  let position = after;
  let caughtUp = false;
  /** The next entries in order, each once: from the store until it is caught up, then as they come in. */
  const next = async (): Promise<readonly FeedEntry[]> => {
    if (caughtUp) return waiting.splice(0, PAGE).filter((entry) => entry.position > position);
    const page = await gate.feed(position, PAGE);
    caughtUp = page.length < PAGE;
    return page;
  };
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const page = await next();
      position = page.at(-1)?.position ?? position;
      if (page.length > 0) return controller.enqueue(encoder.encode(page.map(toText).join("")));
      if (waiting.length === 0 && open) await new Promise<void>((resolve) => (wake = resolve));
      if (!open) return controller.close();
      controller.enqueue(encoder.encode(waiting.length === 0 ? ": still here\n\n" : ""));
    },
    cancel: end,
  });
}
