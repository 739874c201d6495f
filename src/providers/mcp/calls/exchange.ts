/**
 * The exchange of a request to a server, and how to find the exchange of a message that the server sends meanwhile.
 * Both are in async context: from the request to the transport, and from a response's stream back.
 *
 * THREAT: several sessions share one connection. A message that can't be assigned to one request is dropped.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { RequestId } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import type { ExchangeOptions, ServerMessage } from "../../../runtime/index.ts";
import { NOBODY, ownerOf, type TurnOwner } from "../../../threads/index.ts";

/** The exchange of the request that is being sent. */
export const currentExchange = new AsyncLocalStorage<ExchangeOptions>();
/** The request whose response is being read; undefined on stdio, where all messages share one stream. */
export const currentStream = new AsyncLocalStorage<RequestId>();

/** Runs work that belongs to no request, even if a request's message caused it. */
export const outsideOfExchanges = (work: () => void): void =>
  currentExchange.exit(() => currentStream.exit(work));

/** Nobody where there is no exchange. */
const ownerOfExchange = (exchange: ExchangeOptions | null | undefined): TurnOwner =>
  ownerOf(exchange ?? {}) ?? NOBODY;

/** Whose request is being sent. */
export const currentSender = (): TurnOwner => ownerOfExchange(currentExchange.getStore());

const QUESTIONS: ReadonlySet<unknown> = new Set([
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
]);

export const isQuestion = (method: string): boolean => QUESTIONS.has(method);

/** A server's question, if it may be passed on; otherwise null. */
export function toQuestion(value: unknown): ServerMessage | null {
  if (!isJsonObject(value) || typeof value.method !== "string" || !isQuestion(value.method)) return null;
  const params = isJsonObject(value.params) ? value.params : {};
  return { method: value.method, params: value.method === "sampling/createMessage" ? alone(params) : params };
}

/** THREAT: a server may ask the client to include context from other servers, so that is removed. */
function alone({ includeContext: _, ...params }: JsonObject): JsonObject {
  return params;
}

/** The open requests and their exchanges. */
export class Exchanges {
  readonly #pending = new Map<RequestId, ExchangeOptions | null>();
  /** Requests that were given up: the server may still work on them and send messages about them. */
  readonly #abandoned = new Map<
    RequestId,
    { readonly session: string | undefined; readonly until: number }
  >();
  readonly #longestMs: number;

  /** `longestMs` is how long a server may still work on a request that was given up. */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  begin(id: RequestId): void {
    this.#pending.set(id, currentExchange.getStore() ?? null);
  }

  /** Whether the request was still open. */
  end(id: RequestId): boolean {
    this.#abandoned.delete(id);
    return this.#pending.delete(id);
  }

  abandon(id: RequestId): void {
    const exchange = this.#pending.get(id);
    if (!this.#pending.delete(id) || !exchange) return;
    this.#abandoned.set(id, { session: exchange.session, until: performance.now() + this.#longestMs });
  }

  /** Whose request it is; without a name if nobody's. */
  ownerOf(id: RequestId): TurnOwner {
    return ownerOfExchange(this.#pending.get(id));
  }

  isPending(id: RequestId): boolean {
    return this.#pending.has(id);
  }

  /** The exchange whose response contains the present message. */
  ofStream(): ExchangeOptions | null {
    const id = currentStream.getStore();
    return id === undefined ? null : (this.#pending.get(id) ?? null);
  }

  /** The only running exchange, unless a request that was given up for another session may still be running. */
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

/** A new progress token for an exchange, because the client's token means nothing on another connection. */
export function progressTokenOf(exchange: ExchangeOptions): string {
  const token = randomUUID();
  tokens.set(exchange, token);
  return token;
}
