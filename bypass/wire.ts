/**
 * A client of the gateway under test that speaks by raw requests, so that it can say what no well-behaved client
 * would, and keeps every byte that it is given. One per session; of either era.
 */
import { readEvents } from "./read-events.ts";

export type Era = "2025-11-25" | "2026-07-28";
export const ERAS: readonly Era[] = ["2025-11-25", "2026-07-28"];

export type Json = Readonly<Record<string, unknown>>;

/** How a session of the gateway is reached. */
export interface Access {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Reply {
  /** 0 where nothing came back in time. */
  readonly status: number;
  readonly text: string;
  /** The answer to the request; undefined where there was none. */
  readonly message?: Json;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Instead of the access that the client was made with. */
  readonly access?: Access;
}

/** What the client answers when it is asked something within a call. */
export type OnQuestion = (question: Json) => Promise<Json | null>;

const LIMIT_MS = 15_000;
const META = "io.modelcontextprotocol/";
export const CLIENT_CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } };

export class WireClient {
  readonly era: Era;
  readonly access: Access;
  /** Every byte that came from the gateway, answers and streams alike. */
  seen = "";
  /** The transport session's id, in the older era. */
  connection: string | null = null;
  onQuestion: OnQuestion = async () => null;
  #nextId = 1;
  readonly #streams = new AbortController();
  readonly #watchers = new Set<() => void>();

  constructor(era: Era, access: Access) {
    this.era = era;
    this.access = access;
  }

  /** Greets, in the older era. `version` is the revision that is asked for. */
  async connect(version: string = this.era, clientName = "bypass"): Promise<Reply | null> {
    if (this.era === "2026-07-28") return null;
    const params = {
      protocolVersion: version,
      capabilities: CLIENT_CAPABILITIES,
      clientInfo: { name: clientName, version: "1.0.0" },
    };
    const reply = await this.request("initialize", params);
    await this.notify("notifications/initialized", {});
    return reply;
  }

  /** One request, as its era wants it. */
  request(method: string, params: Json = {}, options: SendOptions = {}): Promise<Reply> {
    return this.start(method, params, options).reply;
  }

  /** One request whose id is known before it is answered. */
  start(
    method: string,
    params: Json = {},
    options: SendOptions = {},
  ): { readonly id: number; readonly reply: Promise<Reply> } {
    const id = this.#nextId;
    this.#nextId += 1;
    const message = { jsonrpc: "2.0", id, method, params: this.withEnvelope(params) };
    const headers = { ...this.standardHeaders(method, params), ...options.headers };
    return { id, reply: this.raw(JSON.stringify(message), { ...options, headers }, id) };
  }

  async notify(method: string, params: Json): Promise<Reply> {
    const message = { jsonrpc: "2.0", method, params: this.withEnvelope(params) };
    return this.raw(JSON.stringify(message), { headers: this.standardHeaders(method, params) });
  }

  /** A body as it is. Never throws: what came back, and how far, is the answer. */
  async raw(body: string | Uint8Array, options: SendOptions = {}, id?: number): Promise<Reply> {
    const { access = this.access, signal } = options;
    const limit = AbortSignal.timeout(LIMIT_MS);
    const state = { status: 0, text: "" };
    let message: Json | undefined;
    try {
      const response = await fetch(access.url, {
        method: "POST",
        body,
        headers: { ...this.#baseHeaders(), ...access.headers, ...options.headers },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      state.status = response.status;
      this.connection ??= response.headers.get("mcp-session-id");
      const isStream = response.headers.get("content-type")?.includes("event-stream") ?? false;
      const onText = (text: string): void => {
        state.text += text;
        this.#see(text);
      };
      for await (const got of readEvents(response, isStream, onText)) {
        if (got.id === id && id !== undefined && got.method === undefined) message = got;
        else this.#answer(got, access);
      }
    } catch {
      // Refused on the wire, cut off or too late: the status and the bytes so far say so.
    }
    return { ...state, ...(message && { message }) };
  }

  /** Opens the stream for what comes unasked; resolves with its status once it is open. */
  async listen(options: SendOptions = {}): Promise<number> {
    if (this.era === "2025-11-25") return this.#open({ headers: { accept: "text/event-stream" } }, options);
    const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const params = this.withEnvelope({ notifications: filter });
    const message = { jsonrpc: "2.0", id: `listen-${this.#nextId}`, method: "subscriptions/listen", params };
    const headers = this.standardHeaders("subscriptions/listen", {});
    return this.#open({ method: "POST", body: JSON.stringify(message), headers }, options);
  }

  /** Opens a stream that is read until the client closes it. */
  async #open(init: RequestInit, { access = this.access, headers }: SendOptions): Promise<number> {
    try {
      const response = await fetch(access.url, {
        ...init,
        headers: { ...this.#baseHeaders(), ...init.headers, ...access.headers, ...headers },
        signal: AbortSignal.any([this.#streams.signal, AbortSignal.timeout(LIMIT_MS * 4)]),
      });
      void this.#drain(response, access);
      return response.status;
    } catch {
      return 0;
    }
  }

  async #drain(response: Response, access: Access): Promise<void> {
    const isStream = response.headers.get("content-type")?.includes("event-stream") ?? false;
    try {
      for await (const message of readEvents(response, isStream, (text) => this.#see(text))) {
        this.#answer(message, access);
      }
    } catch {
      // The stream ends when the client closes it.
    }
  }

  #see(text: string): void {
    this.seen += text;
    for (const look of this.#watchers) look();
  }

  /** Resolves with true once the client was given this text, with false after a while. */
  async untilSeen(text: string, limitMs = 3_000): Promise<boolean> {
    const found = Promise.withResolvers<boolean>();
    const look = (): void => {
      if (this.seen.includes(text)) found.resolve(true);
    };
    this.#watchers.add(look);
    look();
    const timer = setTimeout(() => found.resolve(false), limitMs);
    const result = await found.promise;
    clearTimeout(timer);
    this.#watchers.delete(look);
    return result;
  }

  /** What the gateway asks is answered by `onQuestion`; with an error where that says nothing. */
  #answer(message: Json, access: Access): void {
    if (typeof message.method !== "string" || message.id === undefined) return;
    void this.onQuestion(message).then(async (result) => {
      const error = { code: -32601, message: "not answered" };
      const answer = { jsonrpc: "2.0", id: message.id, ...(result ? { result } : { error }) };
      await this.raw(JSON.stringify(answer), { access });
    });
  }

  /** Adds what a request of 2026-07-28 must carry. */
  withEnvelope(params: Json): Json {
    if (this.era === "2025-11-25") return params;
    const _meta = {
      [`${META}protocolVersion`]: this.era,
      [`${META}clientInfo`]: { name: "bypass", version: "1.0.0" },
      [`${META}clientCapabilities`]: CLIENT_CAPABILITIES,
      [`${META}logLevel`]: "debug",
      ...(params._meta as Json | undefined), // The suite's own checks write it.
    };
    return { ...params, _meta };
  }

  /** What repeats the body in the headers, in the newer era. */
  standardHeaders(method: string, params: Json): Record<string, string> {
    if (this.era === "2025-11-25") return {};
    const name = params.name ?? params.uri;
    return {
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": toHeader(name) }),
    };
  }

  #baseHeaders(): Record<string, string> {
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": this.era,
      ...(this.connection !== null && { "mcp-session-id": this.connection }),
    };
  }

  close(): void {
    this.#streams.abort();
  }
}

const toHeader = (value: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString("base64")}?=`;
