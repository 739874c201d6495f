/**
 * The SDK's view of a channel: only what was asked for comes through, once, and of bounded size and depth.
 *
 * THREAT: the server chooses every message. The SDK turns an answer that it doesn't expect back into text for an error
 * message (a stack overflow for a deep one), reads `"7"` and 7 as the same id, and lets a call hang whose answer has
 * the wrong shape. So answers are checked here, and one that can't be used ends its call with a verdict.
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
import { inOwnTurn } from "../../../threads/index.ts";
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

/** What a server may say about a request while it runs. */
const NOTICES = new Set(["notifications/progress", "notifications/message"]);

// Each request of a server costs a message back.
const MAX_UNANSWERED = 256;
// Questions that the calls of one label holder may have open; whoever has none may always have one.
const MAX_QUESTIONS = MAX_UNANSWERED / 4;

/** What a transport tells apart from the messages that the SDK is for. */
export interface TransportEvents {
  /** Something happened that may mean that the server is gone. */
  readonly onTrouble: () => void;
  /** What the server offers has changed. It may say so as often as it likes. */
  readonly onListChanged: () => void;
  /** A resource has changed, as often as the server says so. */
  readonly onUpdated: (uri: string) => void;
}

/** An id that nobody can tell from another one, so that no answer lands at another's request by mistake. */
export const randomId = (): number => randomInt(2 ** 48 - 1);

export class VettedTransport implements Transport {
  readonly #channel: Channel;
  readonly #limits: UpstreamLimits;
  readonly #onTrouble: () => void;
  readonly #events: TransportEvents;
  readonly #newId: (id: number) => number;
  /** The SDK's own ids of requests, by those that the server knows them by. The SDK counts. */
  readonly #ownIds = new Map<RequestId, RequestId>();
  readonly #exchanges: Exchanges;
  /** Requests whose answer is one document: once that was read, no other comes. */
  readonly #single = new Set<RequestId>();
  /** Requests whose answer has come, and is given on in the next turn of the event loop. */
  readonly #large = new Set<RequestId>();
  #unanswered = 0;
  /** How often the server may still say that a stream of notices has begun, or that something is cancelled. */
  readonly #budget = { acknowledged: 0, cancelled: 0 };
  /** Open questions by label holder. */
  readonly #questions = new Map<string, number>();
  readonly hasPerRequestStream: boolean;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;

  /** `newId` makes the id by which the server knows a request. */
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
    // INVARIANT: the SDK knows a stdio transport, where silence means an older server, by these two names.
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

  /** Gives a request up, by the SDK's id; answers with the one that the server knows. */
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

  /** The id by which the server is to know a request. */
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

  /** What the server says or asks by itself. */
  #receiveUnasked(message: JsonObject, method: string): void {
    if ("id" in message) this.#receiveRequest(message, method);
    // THREAT: a server may say so a hundred thousand times a second, so each costs a look-up.
    else if (LIST_CHANGED.has(method)) this.#events.onListChanged();
    else this.#receiveNotice(message, method);
  }

  /** What a session is asked goes to the exchange that it is about; other requests to the SDK, which refuses them. */
  #receiveRequest(message: JsonObject, method: string): void {
    const asked = isQuestion(method) ? this.#askedExchange() : null;
    if (!this.#mayAsk(asked) || !this.#isSmall(message)) return;
    this.#unanswered += 1;
    this.#budget.cancelled += 1;
    if (isId(message.id) && isQuestion(method)) void this.#ask(message.id, message, asked);
    // The SDK takes any message and checks the shape of those that have a method.
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

  /** The exchange that a question on this message's way is about. */
  #askedExchange(): ExchangeOptions | null {
    return this.#channel.kind === "http" ? this.#exchanges.ofStream() : this.#exchanges.alone();
  }

  /** Whether a request of the server is taken up: no label holder takes another's first question away. */
  #mayAsk(asked: ExchangeOptions | null): boolean {
    if (this.#unanswered < MAX_UNANSWERED) return true;
    return asked?.labelHolder !== undefined && !this.#questions.has(asked.labelHolder);
  }

  /** Whether a notice is one that the server may send now. */
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
   * Never rejects: a question that nobody answers is answered with an error, or not at all.
   * THREAT: whether and when an error comes tells something too, so a session that may tell the server nothing sends none.
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
    // THREAT: a question is open until its answer is on its way, or a flood of them is taken up one by one.
    const left = (this.#questions.get(holder) ?? 1) - 1;
    if (left > 0) this.#questions.set(holder, left);
    else this.#questions.delete(holder);
  }

  #receiveAnswer(message: JsonObject, id: RequestId): void {
    if (this.#large.has(id)) return;
    const { result, error } = message;
    const { resultBytes: bytes, depth } = this.#limits;
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

  /** To read a large answer takes a while already, so what comes of it has a turn of the event loop of its own. */
  #inNextTurn(id: RequestId, deliver: () => void): void {
    this.#large.add(id);
    inOwnTurn(() => {
      this.#large.delete(id);
      deliver();
    });
  }

  /** Where an answer has come already, it counts, though it waits for its turn. */
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
      // INVARIANT: nothing that a server sends is thrown into a stream's handler, where it would end the gateway.
      this.#onTrouble();
    }
  }
}

const REFUSED = { error: { code: -32601, message: "The gateway has nobody to answer this." } };

async function answerTo(message: JsonObject, exchange: ExchangeOptions | null): Promise<object> {
  const question = toQuestion(message);
  // THREAT: who asks over a connection keeps the answer for all that share it; a client's roots are for nobody else.
  if (question === null || question.method === "roots/list" || !exchange?.ask) return REFUSED;
  const { answer } = await exchange.ask({ answer: question });
  return answer === undefined ? REFUSED : { result: answer };
}

const isId = (value: unknown): value is RequestId =>
  typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));

/** A result as the SDK takes it: an object, and so is its `_meta`. */
const isResult = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && (value._meta === undefined || isJsonObject(value._meta));

const isError = (value: unknown): value is { code: number; message: string } =>
  isJsonObject(value) && Number.isSafeInteger(value.code) && typeof value.message === "string";
