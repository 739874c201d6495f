/**
 * The SDK's view of a channel: only what was asked for comes through, once, and of bounded size and depth.
 *
 * THREAT: the server chooses every message. The SDK turns an answer that it doesn't expect back into text for an error
 * message (a stack overflow for a deep one), reads `"7"` and 7 as the same id, and lets a call hang whose answer has
 * the wrong shape. So answers are checked here, and one that can't be used ends its call with a verdict.
 */
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  JSONRPCResponse,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { type AnswerVerdict, toVerdictError } from "./answer-verdict.ts";
import type { Channel } from "./channel.ts";
import { isJsonObject, type JsonObject } from "./json-object.ts";
import type { UpstreamLimits } from "./limits.ts";
import { measureJson } from "./measure-json.ts";

const NOTIFICATIONS = new Set([
  "notifications/tools/list_changed",
  "notifications/subscriptions/acknowledged",
  "notifications/cancelled",
]);

// Each request of a server costs a message back.
const MOST_UNANSWERED = 32;

export class VettedTransport implements Transport {
  readonly #channel: Channel;
  readonly #limits: UpstreamLimits;
  readonly #onTrouble: () => void;
  readonly #pending = new Set<RequestId>();
  #unanswered = 0;
  readonly hasPerRequestStream: boolean;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;

  /** `onTrouble` hears of what may mean that the server is gone. */
  constructor(channel: Channel, limits: UpstreamLimits, onTrouble: () => void) {
    this.#channel = channel;
    this.#limits = limits;
    this.#onTrouble = onTrouble;
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
    const cancelled = message.method === "notifications/cancelled" ? message.params?.requestId : undefined;
    if (isId(cancelled)) this.#pending.delete(cancelled);
    return this.#channel.send(message, options);
  }

  async #reply(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#channel.send(message);
    } finally {
      this.#unanswered -= 1;
    }
  }

  async #request(message: JSONRPCRequest, options: TransportSendOptions | undefined): Promise<void> {
    const { id } = message;
    this.#pending.add(id);
    options?.requestSignal?.addEventListener("abort", () => this.#pending.delete(id), { once: true });
    const onRequestStreamEnd = options?.onRequestStreamEnd ?? (() => this.#end(id, "broken-off"));
    try {
      await this.#channel.send(message, { ...options, onRequestStreamEnd });
    } catch (cause) {
      this.#pending.delete(id);
      throw cause;
    }
  }

  #receive(message: unknown): void {
    if (!isJsonObject(message)) return;
    if (typeof message.method === "string") this.#receiveUnasked(message, message.method);
    else if (isId(message.id) && this.#pending.has(message.id)) this.#receiveAnswer(message, message.id);
  }

  /** Requests of the server go to the SDK, which refuses all but `ping`: this client offers it nothing. */
  #receiveUnasked(message: JsonObject, method: string): void {
    const isRequest = "id" in message;
    if (isRequest ? this.#unanswered >= MOST_UNANSWERED : !NOTIFICATIONS.has(method)) return;
    const { definitionBytes, depth } = this.#limits;
    if (measureJson(message, definitionBytes, depth) !== "fits") return;
    if (isRequest) this.#unanswered += 1;
    // The SDK takes any message and checks the shape of those that have a method.
    this.#deliver(message as unknown as JSONRPCMessage);
  }

  #receiveAnswer(message: JsonObject, id: RequestId): void {
    const { result, error } = message;
    const { resultBytes, depth } = this.#limits;
    const measure = measureJson(result ?? error, resultBytes, depth);
    if (measure !== "fits") this.#end(id, measure);
    else if (isResult(result)) this.#answer({ jsonrpc: "2.0", id, result });
    else if (isError(error)) this.#answer({ jsonrpc: "2.0", id, error });
    else this.#end(id, "malformed");
  }

  #end(id: RequestId, verdict: AnswerVerdict): void {
    this.#answer({ jsonrpc: "2.0", id, error: toVerdictError(verdict) });
  }

  /** Only the first answer to a request counts. */
  #answer(answer: JSONRPCResponse & { readonly id?: RequestId }): void {
    if (answer.id !== undefined && this.#pending.delete(answer.id)) this.#deliver(answer);
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

const isId = (value: unknown): value is RequestId =>
  typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));

/** A result as the SDK takes it: an object, and so is its `_meta`. */
const isResult = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && (value._meta === undefined || isJsonObject(value._meta));

const isError = (value: unknown): value is { code: number; message: string } =>
  isJsonObject(value) && Number.isSafeInteger(value.code) && typeof value.message === "string";
