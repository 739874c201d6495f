/** `fetch` that ends a request whose answer comes in thousands of tiny HTTP chunks. */
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";

/**
 * THREAT: Node's `fetch` takes 10 µs for each chunk of a chunked body, and reads 10,000 of them in one turn of the event
 * loop if each has one byte. Only this channel of its HTTP client tells them apart.
 */
const CHUNKS = "undici:request:bodyChunkReceived";
const MAX_TINY_CHUNKS = 2000;
const TINY_BYTES = 16;
/** So long chunks are counted together: a stream that stays open for hours may say each few seconds that it lives. */
const PERIOD_MS = 10_000;

interface Watched {
  readonly controller: AbortController;
  /** Chunks beyond one for each 16 bytes. THREAT: never below zero, so that no long chunk pays for later tiny ones. */
  tiny: number;
  since: number;
}

/** The request that is being created. Others of this process aren't watched. */
const created = new AsyncLocalStorage<Watched>();
const watched = new WeakMap<object, Watched>();
let isSubscribed = false;

function watchChunks(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe("undici:request:create", (message) => {
    const request = created.getStore();
    if (request) watched.set((message as { request: object }).request, request);
  });
  subscribe(CHUNKS, (message) => {
    const { request, chunk } = message as { request: object; chunk: Uint8Array };
    const seen = watched.get(request);
    if (seen === undefined) return;
    const now = performance.now();
    if (now - seen.since > PERIOD_MS) Object.assign(seen, { tiny: 0, since: now });
    seen.tiny = Math.max(0, seen.tiny + 1 - chunk.length / TINY_BYTES);
    if (seen.tiny <= MAX_TINY_CHUNKS) return;
    watched.delete(request);
    seen.controller.abort(new Error("The answer comes in too many tiny chunks."));
  });
}

/** Like `fetch`; beyond 2,000 chunks more than one for each 16 bytes within 10 s, the request or the reading of its body fails. */
export function fetchLimitingChunks(url: string | URL, init?: RequestInit): Promise<Response> {
  watchChunks();
  const controller = new AbortController();
  const signal = init?.signal ? AbortSignal.any([init.signal, controller.signal]) : controller.signal;
  return created.run({ controller, tiny: 0, since: performance.now() }, () =>
    fetch(url, { ...init, signal }),
  );
}
