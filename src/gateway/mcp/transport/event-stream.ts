/** Messages as server-sent events, with a limit for unread ones. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

/** Unread bytes; the stream of a slower reader is closed. */
const MAX_UNREAD = 32 * 1024 * 1024;
/** How often a comment is sent, so that no proxy closes the idle stream. */
const KEEP_ALIVE_MS = 15_000;

export class EventStream {
  readonly #body: ReadableStream<Uint8Array>;
  readonly #timer: NodeJS.Timeout;
  readonly #onLeft: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  /** `onLeft` is called once, when the stream has ended or its reader has gone. */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD }),
    );
    this.#timer = setInterval(() => this.#enqueue(": keep-alive\n\n"), KEEP_ALIVE_MS);
    this.#timer.unref();
  }

  toResponse(headers: Readonly<Record<string, string>>): Response {
    return new Response(this.#body, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store, no-transform",
        "x-accel-buffering": "no",
        ...headers,
      },
    });
  }

  write(message: JSONRPCMessage): void {
    this.#enqueue(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    const controller = this.#controller;
    this.#leave();
    controller?.close();
  }

  #enqueue(text: string): void {
    const controller = this.#controller;
    if (controller === null) return;
    controller.enqueue(new TextEncoder().encode(text));
    if ((controller.desiredSize ?? 0) > 0) return;
    this.#leave();
    controller.error(new Error("The reader is too slow."));
  }

  #leave(): void {
    if (this.#controller === null) return;
    this.#controller = null;
    clearInterval(this.#timer);
    this.#onLeft();
  }
}
