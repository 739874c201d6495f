/**
 * What a request to a server has about itself while it runs, and how a message that the server sends meanwhile is
 * found to be about it. Both go by async context: from the request into the transport, and from a response's stream
 * back.
 *
 * THREAT: several sessions share one connection. A message that can't be determined to be about one request goes nowhere.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { RequestId } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import type { ExchangeOptions, ServerMessage } from "../../../runtime/index.ts";

/** What the request that is being sent belongs to. */
export const currentExchange = new AsyncLocalStorage<ExchangeOptions>();
/** The request whose response's stream is being read; nothing on stdio, where all messages come one way. */
export const currentStream = new AsyncLocalStorage<RequestId>();

/** Does what belongs to no request, whichever request's message led to it. */
export const outsideOfExchanges = (work: () => void): void =>
  currentExchange.exit(() => currentStream.exit(work));

const QUESTIONS: ReadonlySet<unknown> = new Set([
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
]);

export const isQuestion = (method: string): boolean => QUESTIONS.has(method);

/** A question of a server as it may be passed on; null for anything else. */
export function toQuestion(value: unknown): ServerMessage | null {
  if (!isJsonObject(value) || typeof value.method !== "string" || !isQuestion(value.method)) return null;
  const params = isJsonObject(value.params) ? value.params : {};
  return { method: value.method, params: value.method === "sampling/createMessage" ? alone(params) : params };
}

/** THREAT: a server may ask the client to add what it knows from other servers; that never goes along. */
function alone({ includeContext: _, ...params }: JsonObject): JsonObject {
  return params;
}

/** The requests that wait for their answers, and whose they are. */
export class Exchanges {
  readonly #pending = new Map<RequestId, ExchangeOptions | null>();
  /** Given up without an answer: the server may still be at work on them, and speak of them. */
  readonly #abandoned = new Map<
    RequestId,
    { readonly session: string | undefined; readonly until: number }
  >();
  readonly #longestMs: number;

  /** `longestMs` is how long a server may be at work on a request that was given up. */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  begin(id: RequestId): void {
    this.#pending.set(id, currentExchange.getStore() ?? null);
  }

  /** Whether an answer to it was still waited for. */
  end(id: RequestId): boolean {
    this.#abandoned.delete(id);
    return this.#pending.delete(id);
  }

  abandon(id: RequestId): void {
    const exchange = this.#pending.get(id);
    if (!this.#pending.delete(id) || !exchange) return;
    this.#abandoned.set(id, { session: exchange.session, until: performance.now() + this.#longestMs });
  }

  isPending(id: RequestId): boolean {
    return this.#pending.has(id);
  }

  /** The exchange on whose response's stream the present message came. */
  ofStream(): ExchangeOptions | null {
    const id = currentStream.getStore();
    return id === undefined ? null : (this.#pending.get(id) ?? null);
  }

  /** The exchange that runs alone, where nothing that was given up for another session may still be running. */
  alone(): ExchangeOptions | null {
    const running = [...this.#pending.values()].filter((exchange) => exchange !== null);
    const [only] = running;
    if (only === undefined || running.length > 1) return null;
    const now = performance.now();
    for (const [id, { until }] of this.#abandoned) if (until < now) this.#abandoned.delete(id);
    return [...this.#abandoned.values()].every(({ session }) => session === only.session) ? only : null;
  }

  /** The exchange with this progress token. */
  withToken(token: unknown): ExchangeOptions | null {
    for (const exchange of this.#pending.values()) {
      if (exchange !== null && tokens.get(exchange) === token) return exchange;
    }
    return null;
  }
}

const tokens = new WeakMap<ExchangeOptions, string>();

/** A progress token of its own for an exchange: a client's token is its own, and says nothing on another connection. */
export function progressTokenOf(exchange: ExchangeOptions): string {
  const token = randomUUID();
  tokens.set(exchange, token);
  return token;
}
