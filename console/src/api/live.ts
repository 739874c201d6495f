/**
 * The gateway's event stream: it says which data are outdated, and whether this page is connected. It resumes after a
 * disconnection. Events aren't shown; the data are requested again. One tab of the browser holds the stream for all
 * of them.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { BASE_PATH } from "../base-path.ts";
import { Tabs, type Told } from "./tabs.ts";
import { currentToken, dropRefusedToken } from "./token.ts";

export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** `since`: the time of the last event, in milliseconds since 1970. */
  | { readonly kind: "lost"; readonly since: number };

/** A durable journal entry; `hello` begins each stream. */
export interface LiveEvent {
  readonly kind: string;
  readonly session: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

const MAX_PAUSE_MS = 5_000;
/** The gateway sends something at least every fifteen seconds. */
const SILENCE_MS = 20_000;

export class Live {
  readonly #onEvent: (event: LiveEvent) => void;
  readonly #listeners = new Set<() => void>();
  readonly #stopped = new AbortController();
  readonly #tabs = new Tabs((told) => this.#learn(told));
  #connection: Connection = { kind: "connecting" };
  #position = "latest";
  #heard = Date.now();
  #hello: EventSourceMessage | null = null;
  /** Whether this tab holds the stream. */
  #isListening = false;
  #wake: () => void = () => {};

  /** @param onEvent called for each; after a `hello`, anything may have changed */
  constructor(onEvent: (event: LiveEvent) => void) {
    this.#onEvent = onEvent;
  }

  get connection(): Connection {
    return this.#connection;
  }

  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  stop(): void {
    this.#stopped.abort();
    this.#wake();
  }

  /** Ends the pause before the next attempt. */
  readonly retry = (): void => {
    this.#wake();
    if (!this.#stopped.signal.aborted) this.#tabs.tell({ kind: "retry" });
  };

  /** Runs until it is stopped. */
  async run(): Promise<void> {
    addEventListener("online", this.retry);
    await this.#tabs.run((signal) => this.#listen(signal), this.#stopped.signal);
    removeEventListener("online", this.retry);
  }

  /** Holds the stream while it is this tab's turn. */
  async #listen(signal: AbortSignal): Promise<void> {
    this.#isListening = true;
    for (let failures = 0; !signal.aborted; failures += 1) {
      if (await this.#stream(signal)) failures = 0;
      if (signal.aborted) break;
      this.#lose(this.#heard);
      await this.#pause(Math.min(MAX_PAUSE_MS, 250 * 2 ** failures) * (0.5 + Math.random() / 2));
    }
    this.#isListening = false;
  }

  /** One connection, until it ends. Returns whether anything was received. */
  async #stream(stopped: AbortSignal): Promise<boolean> {
    const attempt = new AbortController();
    const signal = AbortSignal.any([attempt.signal, stopped]);
    let silence = setTimeout(() => attempt.abort(), SILENCE_MS);
    let isHeard = false;
    const parser = createParser({ onEvent: (message) => this.#pass(message) });
    try {
      const token = currentToken();
      const response = await this.#request(token ?? "", signal);
      dropRefusedToken(token, response.status);
      if (!response.ok || response.body === null) return false;
      const decoder = new TextDecoder();
      for await (const chunk of readChunks(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(() => attempt.abort(), SILENCE_MS);
        this.#heard = Date.now();
        isHeard = true;
        this.#tabs.tell({ kind: "heard", message: null });
        parser.feed(decoder.decode(chunk, { stream: true }));
      }
      return isHeard;
    } catch {
      // It failed or broke off: the next attempt follows.
      return isHeard;
    } finally {
      clearTimeout(silence);
    }
  }

  #request(token: string, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (this.#position !== "latest") headers["last-event-id"] = this.#position;
    return fetch(`${BASE_PATH}/v1/events?after=${this.#position}`, { headers, signal, cache: "no-store" });
  }

  #lose(since: number): void {
    this.#tabs.tell({ kind: "lost", since });
    this.#become({ kind: "lost", since });
  }

  #pass(message: EventSourceMessage): void {
    this.#tabs.tell({ kind: "heard", message });
    this.#take(message);
  }

  /** Handles a message of another tab. */
  #learn(told: Told): void {
    if (told.kind === "heard") {
      this.#heard = Date.now();
      if (told.message !== null) this.#take(told.message);
    } else if (told.kind === "lost") this.#become({ kind: "lost", since: told.since });
    else if (this.#isListening) this.#answer(told);
  }

  #answer(told: Extract<Told, { readonly kind: "come" | "retry" }>): void {
    if (told.kind === "retry") this.#wake();
    else if (this.#connection.kind === "lost") this.#lose(this.#connection.since);
    else if (this.#hello !== null)
      this.#tabs.tell({ kind: "heard", message: { ...this.#hello, id: this.#position }, to: told.from });
  }

  #take(message: EventSourceMessage): void {
    const { id, event, data } = message;
    if (id !== undefined && /^\d+$/.test(id)) this.#position = id;
    const body: unknown = JSON.parse(data);
    const fields = typeof body === "object" && body !== null ? { ...body } : {};
    const session =
      "session_id" in fields && typeof fields.session_id === "string" ? fields.session_id : null;
    if (event === "hello") {
      this.#hello = message;
      this.#become({ kind: "live" });
    }
    this.#onEvent({ kind: event ?? "", session, data: fields });
  }

  #become(connection: Connection): void {
    if (connection.kind === this.#connection.kind) return;
    this.#connection = connection;
    for (const tell of this.#listeners) tell();
  }

  async #pause(milliseconds: number): Promise<void> {
    const waiting = Promise.withResolvers<void>();
    this.#wake = waiting.resolve;
    const timer = setTimeout(waiting.resolve, milliseconds);
    await waiting.promise;
    clearTimeout(timer);
  }
}

/** A body's chunks. Not every browser can iterate over a stream. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}
