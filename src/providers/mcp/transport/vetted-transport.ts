/**
 * The SDK's view of a channel: only expected messages pass, once each, with limited size and depth.
 *
 * THREAT: the server chooses every message. The SDK serialises an unexpected answer into an error message (which
 * overflows the stack for a deeply nested one), treats `"7"` and 7 as the same id, and never ends a call whose answer
 * has the wrong shape. So answers are checked here, and an unusable one ends its call with a verdict.
 */
import { randomInt } from "node:crypto";
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  JSONRPCResponse,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../../json/json-object.ts";
import { measureJson } from "../../../json/measure-json.ts";
import type { ExchangeOptions } from "../../../runtime/index.ts";
import { nextTurnOf } from "../../../threads/index.ts";
import { type AnswerVerdict, toVerdictError } from "../calls/answer-verdict.ts";
import { currentStream, Exchanges, isQuestion, toQuestion } from "../calls/exchange.ts";
import type { UpstreamLimits } from "../limits.ts";
import type { Channel } from "./channel.ts";

const LIST_CHANGED = new Set([
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed",
]);
const UPDATED = "notifications/resources/updated";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const CANCELLED = "notifications/cancelled";

/** Notifications about a request while it runs. */
const NOTICES = new Set(["notifications/progress", "notifications/message"]);

// Open requests of a server, each of which costs an answer.
const MAX_UNANSWERED = 256;
// Open questions of the calls of one label holder; a holder without one may always have one.
const MAX_QUESTIONS = MAX_UNANSWERED / 4;

/** Events that a transport handles outside of the SDK. */
export interface TransportEvents {
  /** Something happened that may mean that the server has gone. */
  readonly onTrouble: () => void;
  /** The server's offers have changed. It may announce that at any rate. */
  readonly onListChanged: () => void;
  /** A resource has changed. The server may announce that at any rate. */
  readonly onUpdated: (uri: string) => void;
}

/** An unguessable id, so that an answer to another request isn't accepted by mistake. */
export const randomId = (): number => randomInt(2 ** 48 - 1);

export class VettedTransport implements Transport {
  readonly #channel: Channel;
  readonly #limits: UpstreamLimits;
  readonly #onTrouble: () => void;
  readonly #events: TransportEvents;
  readonly #newId: (id: number) => number;
  /** The SDK's ids of requests, by the ids that the server gets. The SDK's are consecutive. */
  readonly #ownIds = new Map<RequestId, RequestId>();
  readonly #exchanges: Exchanges;
  /** Requests whose answer is a single document: after it no other comes. */
  readonly #single = new Set<RequestId>();
  /** Requests whose answer has come, and is passed on in the next turn of the event loop. */
  readonly #large = new Set<RequestId>();
  #unanswered = 0;
  /** How often the server may still announce the start of a stream or a cancellation. */
  readonly #budget = { acknowledged: 0, cancelled: 0 };
  /** Open questions by label holder. */
  readonly #questions = new Map<string, number>();
  readonly hasPerRequestStream: boolean;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;

  /** `newId` creates the ids that the server gets. */
  constructor(
    channel: Channel,
    limits: UpstreamLimits,
    events: TransportEvents,
    newId: (id: number) => number = randomId,
  ) {
    this.#channel = channel;
    this.#limits = limits;
    this.#exchanges = new Exchanges(limits.callMs);
    this.#events = events;
    this.#onTrouble = events.onTrouble;
    this.#newId = newId;
    this.hasPerRequestStream = channel.kind === "http";
    // INVARIANT: the SDK recognises a stdio transport, where no answer means an older server, by these two
    // properties.
    if (channel.kind === "stdio") Object.assign(this, { stderr: null, pid: null });
  }

  start(): Promise<void> {
    return this.#channel.start({
      message: (value) => this.#receive(value),
      oversized: (id) => {
        if (id !== null) this.#end(id, "too-large");
      },
      single: () => {
        const id = currentStream.getStore();
        if (id !== undefined) this.#single.add(id);
      },
      trouble: this.#onTrouble,
      closed: () => this.onclose?.(),
    });
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  setProtocolVersion(version: string): void {
    this.#channel.useProtocol?.(version);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message)) return this.#reply(message);
    if ("id" in message) return this.#request(message, options);
    const cancelled = message.method === CANCELLED ? message.params?.requestId : undefined;
    if (!isId(cancelled)) return this.#channel.send(message, options);
    const requestId = this.#abandon(cancelled);
    return this.#channel.send({ ...message, params: { ...message.params, requestId } }, options);
  }

  /** Gives up a request by the SDK's id; returns the server's id of it. */
  #abandon(own: RequestId): RequestId {
    for (const [id, known] of this.#ownIds) {
      if (known !== own) continue;
      this.#ownIds.delete(id);
      this.#exchanges.abandon(id);
      return id;
    }
    if (typeof own === "string") this.#exchanges.abandon(own);
    return own;
  }

  /** The id of a request for the server. */
  #idFor(own: RequestId): RequestId {
    if (typeof own !== "number") return own;
    for (;;) {
      const id = this.#newId(own);
      if (this.#ownIds.has(id)) continue;
      this.#ownIds.set(id, own);
      return id;
    }
  }

  async #reply(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#channel.send(message);
    } finally {
      this.#unanswered -= 1;
    }
  }

  async #request(asked: JSONRPCRequest, options: TransportSendOptions | undefined): Promise<void> {
    const id = this.#idFor(asked.id);
    const message = { ...asked, id };
    if (message.method === "subscriptions/listen") {
      this.#budget.acknowledged += 1;
      this.#budget.cancelled += 1;
    }
    this.#exchanges.begin(id);
    options?.requestSignal?.addEventListener("abort", () => this.#abandon(asked.id), { once: true });
    const onRequestStreamEnd = options?.onRequestStreamEnd ?? (() => this.#endUnanswered(id, "broken-off"));
    const send = () => this.#channel.send(message, { ...options, onRequestStreamEnd });
    try {
      await (this.#channel.kind === "http" ? currentStream.run(id, send) : send());
      if (this.#single.has(id)) this.#endUnanswered(id, "malformed");
    } catch (cause) {
      this.#exchanges.end(id);
      this.#ownIds.delete(id);
      throw cause;
    } finally {
      this.#single.delete(id);
    }
  }

  #receive(message: unknown): void {
    if (!isJsonObject(message)) return;
    if (typeof message.method === "string") this.#receiveUnasked(message, message.method);
    else if (isId(message.id) && this.#exchanges.isPending(message.id))
      this.#receiveAnswer(message, message.id);
    else if (isId(message.id)) this.#exchanges.end(message.id);
  }

  /** Handles notifications and requests of the server. */
  #receiveUnasked(message: JsonObject, method: string): void {
    if ("id" in message) this.#receiveRequest(message, method);
    // THREAT: a server may announce this a hundred thousand times per second, so it must be cheap.
    else if (LIST_CHANGED.has(method)) this.#events.onListChanged();
    else this.#receiveNotice(message, method);
  }

  /** Questions go to their exchange; other requests go to the SDK, which refuses them. */
  #receiveRequest(message: JsonObject, method: string): void {
    const asked = isQuestion(method) ? this.#askedExchange() : null;
    if (!this.#mayAsk(asked) || !this.#isSmall(message)) return;
    this.#unanswered += 1;
    this.#budget.cancelled += 1;
    if (isId(message.id) && isQuestion(method)) void this.#ask(message.id, message, asked);
    // The SDK accepts any message, and validates those with a method.
    else this.#deliver(message as unknown as JSONRPCMessage);
  }

  #receiveNotice(message: JsonObject, method: string): void {
    const isNotice = NOTICES.has(method);
    if (!(isNotice || this.#spend(method)) || !this.#isSmall(message)) return;
    if (isNotice) this.#notify(method, message.params);
    else if (method === UPDATED) this.#update(message.params);
    else this.#deliver(message as unknown as JSONRPCMessage);
  }

  #isSmall(message: JsonObject): boolean {
    const { definitionBytes: bytes, depth } = this.#limits;
    return measureJson(message, { bytes, depth }) === "fits";
  }

  /** The exchange to which a question belongs. */
  #askedExchange(): ExchangeOptions | null {
    return this.#channel.kind === "http" ? this.#exchanges.ofStream() : this.#exchanges.alone();
  }

  /** Whether a request of the server is accepted: no label holder prevents another's first question. */
  #mayAsk(asked: ExchangeOptions | null): boolean {
    if (this.#unanswered < MAX_UNANSWERED) return true;
    return asked?.labelHolder !== undefined && !this.#questions.has(asked.labelHolder);
  }

  /** Whether the server may send this notification now. */
  #spend(method: string): boolean {
    if (method === UPDATED) return true;
    if (method !== ACKNOWLEDGED && method !== CANCELLED) return false;
    const kind = method === CANCELLED ? "cancelled" : "acknowledged";
    if (this.#budget[kind] === 0) return false;
    this.#budget[kind] -= 1;
    return true;
  }

  #update(params: unknown): void {
    if (isJsonObject(params) && typeof params.uri === "string") this.#events.onUpdated(params.uri);
  }

  #notify(method: string, params: unknown): void {
    if (!isJsonObject(params)) return;
    const { progressToken, ...rest } = params;
    const isProgress = method === "notifications/progress";
    const exchange = isProgress ? this.#exchanges.withToken(progressToken) : this.#exchanges.ofStream();
    exchange?.onNotice?.({ method, params: isProgress ? rest : params });
  }

  /**
   * Never rejects: a question without an answer gets an error, or nothing. THREAT: whether and when an error comes is
   * information too, so a session that may send the server nothing sends no error.
   */
  async #ask(id: RequestId, message: JsonObject, exchange: ExchangeOptions | null): Promise<void> {
    const holder = exchange?.labelHolder ?? "";
    const open = this.#questions.get(holder) ?? 0;
    this.#questions.set(holder, open + 1);
    const reply = open < MAX_QUESTIONS ? await answerTo(message, exchange).catch(() => REFUSED) : REFUSED;
    const mayAnswer = (await exchange?.mayAnswer?.([String(message.method)])) ?? true;
    if (mayAnswer)
      await this.#reply({ jsonrpc: "2.0", id, ...reply } as JSONRPCResponse).catch(this.#onTrouble);
    else this.#unanswered -= 1;
    // THREAT: a question counts as open until its answer is sent; otherwise a flood of questions would be accepted
    // one by one.
    const left = (this.#questions.get(holder) ?? 1) - 1;
    if (left > 0) this.#questions.set(holder, left);
    else this.#questions.delete(holder);
  }

  #receiveAnswer(message: JsonObject, id: RequestId): void {
    if (this.#large.has(id)) return;
    const { result, error } = message;
    const { messageBytes: bytes, depth } = this.#limits;
    const measure = measureJson(result ?? error, { bytes, depth });
    const deliver = (): void => {
      if (measure === "too-large" || measure === "too-deep") this.#end(id, measure);
      else if (isResult(result)) this.#answer({ jsonrpc: "2.0", id, result });
      else if (isError(error)) this.#answer({ jsonrpc: "2.0", id, error });
      else this.#end(id, "malformed");
    };
    if (measure === "large") this.#inNextTurn(id, deliver);
    else deliver();
  }

  /** Reading a large answer takes a while, so it is handled in another turn of the event loop. */
  #inNextTurn(id: RequestId, deliver: () => void): void {
    this.#large.add(id);
    void nextTurnOf(this.#exchanges.ownerOf(id)).then(() => {
      this.#large.delete(id);
      deliver();
    });
  }

  /** An answer that has come counts, even if it wasn't handled yet. */
  #endUnanswered(id: RequestId, verdict: AnswerVerdict): void {
    if (!this.#large.has(id)) this.#end(id, verdict);
  }

  #end(id: RequestId, verdict: AnswerVerdict): void {
    this.#answer({ jsonrpc: "2.0", id, error: toVerdictError(verdict) });
  }

  /** Only the first answer to a request counts. */
  #answer(answer: JSONRPCResponse & { readonly id?: RequestId }): void {
    if (answer.id === undefined || !this.#exchanges.end(answer.id)) return;
    const id = this.#ownIds.get(answer.id) ?? answer.id;
    this.#ownIds.delete(answer.id);
    this.#deliver({ ...answer, id });
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch {
      // INVARIANT: a server's message never throws into a stream's handler, where it would end the gateway.
      this.#onTrouble();
    }
  }
}

const REFUSED = { error: { code: -32601, message: "The gateway has nobody to answer this." } };

async function answerTo(message: JsonObject, exchange: ExchangeOptions | null): Promise<object> {
  const question = toQuestion(message);
  // THREAT: a server caches roots for all that share the connection, so one client's roots must not be sent.
  if (question === null || question.method === "roots/list" || !exchange?.ask) return REFUSED;
  const { answer } = await exchange.ask({ answer: question });
  return answer === undefined ? REFUSED : { result: answer };
}

const isId = (value: unknown): value is RequestId =>
  typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));

/** A valid result for the SDK: an object with an object as `_meta`. */
const isResult = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && (value._meta === undefined || isJsonObject(value._meta));

const isError = (value: unknown): value is { code: number; message: string } =>
  isJsonObject(value) && Number.isSafeInteger(value.code) && typeof value.message === "string";
