/**
 * Streamable HTTP for clients of revisions before 2026-07-28: one transport is one client's connection to a session.
 * An answer is plain JSON, or a stream if a notification or a question comes before it.
 * The SDK's own transport isn't used: it answers either always with JSON, which allows no questions, or always with a
 * stream, and it never answers at all if a call is cancelled, a connection deleted or an id used twice.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/server";
import { parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { roughLength } from "../../../json/measure-json.ts";
import type { DirectOutcome } from "../direct-calls.ts";
import { EventStream } from "./event-stream.ts";
import { type ToolCallRequest, toToolCall } from "./tool-call.ts";

const MAX_IN_BATCH = 100;

/** An answer of status 200, or those of a batch, before it is JSON: reading it back out of a `Response` costs more. */
export interface MessageAnswer {
  readonly message: JSONRPCMessage | readonly JSONRPCMessage[];
  readonly headers: Readonly<Record<string, string>>;
}

/** One POST: its unanswered requests, and how to answer them. */
interface Post {
  readonly waiting: Set<RequestId>;
  readonly answers: JSONRPCMessage[];
  /** About how many characters of answers wait for the others of their batch. */
  held: number;
  readonly isBatch: boolean;
  readonly respond: (answer: Response | MessageAnswer) => void;
  stream: EventStream | null;
}

/** Where answers wait for the others of their batch. */
export interface Room {
  /** Takes so many characters, or gives them back; false if there is no room. */
  take(length: number): boolean;
}

const ENDLESS: Room = { take: () => true };

/** Calls without the SDK, and where it finds the outcome of one whose answer it writes. */
interface DirectCalls {
  call(call: ToolCallRequest, signal: AbortSignal): Promise<DirectOutcome>;
  readonly outcomes: Map<RequestId, DirectOutcome["outcome"]>;
}

export class SessionTransport implements Transport {
  readonly sessionId: string;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;
  /** Serves calls of the usual form; left out, the SDK serves all messages. */
  direct: DirectCalls | null = null;
  readonly #posts = new Map<RequestId, Post>();
  /** How to cancel the calls that the SDK doesn't serve. */
  readonly #calls = new Map<RequestId, AbortController>();
  /** The client's own stream, for messages that belong to no request. */
  #standing: EventStream | null = null;
  readonly #room: Room;
  #isClosed = false;

  constructor(sessionId: string, room: Room = ENDLESS) {
    this.sessionId = sessionId;
    this.#room = room;
  }

  /** Requests that wait for their answers, and open streams. */
  get busy(): number {
    return this.#posts.size + (this.#standing ? 1 : 0);
  }

  async start(): Promise<void> {}

  /** Answers a POST whose body was parsed. */
  post(request: Request, body: unknown): Response | Promise<Response | MessageAnswer> {
    const isBatch = Array.isArray(body);
    const parts = isBatch ? body : [body];
    if (parts.length === 0 || parts.length > MAX_IN_BATCH)
      return failure(400, -32600, `A batch has 1 to ${MAX_IN_BATCH} messages.`);
    const messages = parseAll(parts);
    if (messages === null) return failure(400, -32600, "A message is not a JSON-RPC one.");
    const requests = messages.filter(isRequest);
    const ids = new Set(requests.map(({ id }) => id));
    if (ids.size < requests.length || requests.some(({ id }) => this.#posts.has(id)))
      return failure(400, -32600, "A request's id is in use already.", requests[0]?.id);
    if (this.#isClosed) return failure(404, -32001, "The connection is closed.");
    if (requests.length === 0) {
      void this.#deliverInTurns(messages, request).catch((error) => this.onerror?.(error));
      return new Response(null, { status: 202 });
    }
    return this.#wait(request, messages, { ids, isBatch });
  }

  /** The stream for messages that belong to no request. One at a time. */
  listen(request: Request): Response {
    if (this.#isClosed) return failure(404, -32001, "The connection is closed.");
    if (this.#standing !== null) return failure(409, -32000, "This connection has its stream already.");
    const stream = new EventStream(() => {
      if (this.#standing === stream) this.#standing = null;
    });
    this.#standing = stream;
    request.signal.addEventListener("abort", () => stream.end(), { once: true });
    return stream.toResponse({ "mcp-session-id": this.sessionId });
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isAnswer = !("method" in message);
    const related = isAnswer ? message.id : options?.relatedRequestId;
    if (related === undefined) return this.#standing?.write(message);
    const post = this.#posts.get(related);
    if (post === undefined) {
      // The client has gone; a question to it must fail, since nobody will answer.
      if (isRequest(message)) throw new Error("The client has gone.");
      return;
    }
    if (isAnswer) this.#answer(post, related, message);
    else this.#streamOf(post).write(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const [id, post] of [...this.#posts]) this.#answer(post, id, closed(id));
    for (const stop of this.#calls.values()) stop.abort(new Error("The connection is closed."));
    this.#standing?.end();
    this.onclose?.();
  }

  #wait(
    request: Request,
    messages: readonly JSONRPCMessage[],
    { ids, isBatch }: { readonly ids: ReadonlySet<RequestId>; readonly isBatch: boolean },
  ): Promise<Response | MessageAnswer> {
    return new Promise((respond) => {
      const post: Post = { waiting: new Set(ids), answers: [], held: 0, isBatch, respond, stream: null };
      for (const id of ids) this.#posts.set(id, post);
      const leave = (): void => this.#leave(post, request);
      request.signal.addEventListener("abort", leave, { once: true });
      if (request.signal.aborted) leave();
      else void this.#deliverInTurns(messages, request).catch((error) => this.onerror?.(error));
    });
  }

  /** One message per turn of the event loop: a batch is many requests, and must not delay others. */
  async #deliverInTurns([first, ...rest]: readonly JSONRPCMessage[], request: Request): Promise<void> {
    if (first !== undefined) this.#deliver(first, request);
    for (const message of rest) {
      await nextTurn();
      const isOver = isRequest(message) && !this.#posts.has(message.id);
      if (!isOver && !this.#isClosed) this.#deliver(message, request);
    }
  }

  /** The client disconnected: cancel its requests. */
  #leave(post: Post, request: Request): void {
    for (const id of [...post.waiting]) {
      this.#cancel(id, request);
      this.#answer(post, id, closed(id));
    }
  }

  #deliver(message: JSONRPCMessage, request: Request): void {
    const call = this.direct && toToolCall(message);
    // INVARIANT: a request gets no outcome but its own, even if its id was used before.
    if (isRequest(message)) this.direct?.outcomes.delete(message.id);
    if (this.direct && call) void this.#call(this.direct, call, message, request);
    else this.onmessage?.(message, { request });
    // The SDK doesn't answer a cancelled request, but its connection is still open.
    const id = cancelledBy(message);
    if (id !== undefined) this.#calls.get(id)?.abort(new Error("The client cancelled the call."));
    const post = id === undefined ? undefined : this.#posts.get(id);
    if (id !== undefined && post !== undefined) this.#answer(post, id, closed(id));
  }

  async #call(
    { call: run, outcomes }: DirectCalls,
    call: ToolCallRequest,
    message: JSONRPCMessage,
    request: Request,
  ): Promise<void> {
    const { id } = call;
    const stop = new AbortController();
    this.#calls.set(id, stop);
    const post = this.#posts.get(id);
    const { usual, outcome } = await run(call, stop.signal);
    if (this.#calls.get(id) === stop) this.#calls.delete(id);
    // It was cancelled, and answered so.
    if (post === undefined || this.#posts.get(id) !== post) return;
    if (usual !== null) return this.#answer(post, id, { result: usual, jsonrpc: "2.0", id });
    outcomes.set(id, outcome);
    this.onmessage?.(message, { request });
  }

  #cancel(requestId: RequestId, request: Request): void {
    this.#calls.get(requestId)?.abort(new Error("The client has gone."));
    const message = {
      jsonrpc: "2.0" as const,
      method: "notifications/cancelled",
      params: { requestId, reason: "The client has gone." },
    };
    this.onmessage?.(message, { request });
  }

  #answer(post: Post, id: RequestId, answer: JSONRPCMessage): void {
    if (!post.waiting.delete(id)) return;
    this.#posts.delete(id);
    const isLast = post.waiting.size === 0;
    if (post.stream !== null) {
      post.stream.write(answer);
      if (isLast) post.stream.end();
      return;
    }
    post.answers.push(isLast ? answer : this.#hold(post, id, answer));
    if (!isLast) return;
    this.#release(post);
    const headers = { "content-type": "application/json", "mcp-session-id": this.sessionId };
    post.respond({ message: post.isBatch ? post.answers : answer, headers });
  }

  /** The answer, or an error in its place if too many wait for the others of their batches. */
  #hold(post: Post, id: RequestId, answer: JSONRPCMessage): JSONRPCMessage {
    const length = roughLength(answer);
    if (!this.#room.take(length)) return tooMuch(id);
    post.held += length;
    return answer;
  }

  #release(post: Post): void {
    this.#room.take(-post.held);
    post.held = 0;
  }

  /** The stream that answers a POST from now on. */
  #streamOf(post: Post): EventStream {
    if (post.stream !== null) return post.stream;
    const stream = new EventStream(() => {
      for (const id of [...post.waiting]) {
        this.#cancel(id, new Request("http://localhost/"));
        post.waiting.delete(id);
        this.#posts.delete(id);
      }
    });
    post.stream = stream;
    this.#release(post);
    for (const answer of post.answers.splice(0)) stream.write(answer);
    post.respond(stream.toResponse({ "mcp-session-id": this.sessionId }));
    return stream;
  }
}

/** For a message that was parsed, or that the SDK made. */
const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest =>
  "method" in message && "id" in message;

function parseAll(parts: readonly unknown[]): readonly JSONRPCMessage[] | null {
  try {
    return parts.map((part) => parseJSONRPCMessage(part));
  } catch {
    return null;
  }
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.requestId;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

const tooMuch = (id: RequestId): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: {
    code: -32000,
    message:
      "The answers of this session's batches, or of its principal's, are too large together. The request itself was served; send such requests one at a time.",
  },
});

const closed = (id: RequestId): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: {
    code: -32800,
    message: "The request was given up, since it was cancelled or its connection closed.",
  },
});

export function failure(
  status: number,
  code: number,
  message: string,
  id: JSONRPCRequest["id"] | null = null,
): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });
}
