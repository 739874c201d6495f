/**
 * One connection to a server, from the choice of its protocol to its end. A lost connection is replaced by a new one.
 * It knows nothing about the gateway's clients.
 */
import { Client, type PriorDiscovery, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../json/json-object.ts";
import type { OfferedTool, ServerOffer } from "../../../runtime/index.ts";
import { verdictOf } from "../calls/answer-verdict.ts";
import { reasonOf } from "../calls/call-failure.ts";
import { type RequestOptions, Requests } from "../calls/requests.ts";
import type { Schedule } from "../calls/schedule.ts";
import type { UpstreamLimits } from "../limits.ts";
import { type FetchPage, listOffer } from "../offers/list-offer.ts";
import { listTools, type ToolList } from "../offers/list-tools.ts";
import type { Channel } from "./channel.ts";
import { createHttpChannel, type HttpServer } from "./http-channel.ts";
import { type ParamHeader, selectCallable, toParamHeaders } from "./param-headers.ts";
import type { Log } from "./rate-limited-log.ts";
import { createStdioChannel, type StdioServer } from "./stdio-channel.ts";
import { VettedTransport } from "./vetted-transport.ts";

export interface ConnectionOptions {
  /** The gateway's version. The gateway uses its own name, never a client's. */
  readonly version: string;
  readonly limits: UpstreamLimits;
  readonly log: Log;
  readonly schedule: Schedule;
  /** The server's offers may have changed, or it may have gone: list them again. */
  readonly onDoubt: () => void;
  /** A resource that was subscribed to has changed. */
  readonly onUpdated: (uri: string) => void;
}

/** The outcome of listing a server's tools; `reason` is a clause. */
export type Listing = ToolList | { readonly kind: "failed"; readonly reason: string };

/**
 * What the gateway can pass on if a session's client can answer it; otherwise it refuses. THREAT: an older server
 * asks for roots once and caches them, so one session's roots would reach another.
 */
const CAPABILITIES = Object.freeze({ elicitation: { form: {}, url: {} }, sampling: {} });
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #channel: Channel;
  readonly #client: Client;
  readonly #requests: Requests;
  #paramHeaders: ReadonlyMap<string, readonly ParamHeader[]> = new Map();
  #listening: "no" | "yes" | "refused" = "no";
  /** Resolves when it has ended, with the reason as a clause. */
  readonly ended: Promise<string>;
  readonly #closed = new AbortController();

  constructor(server: StdioServer | HttpServer, options: ConnectionOptions) {
    const { limits, log, schedule, version } = options;
    const isStdio = server.kind === "stdio";
    this.#options = options;
    this.#channel = isStdio
      ? createStdioChannel(server, limits, log)
      : createHttpChannel(server, limits, schedule);
    const timeoutMs = isStdio ? Math.min(limits.probeMs, limits.connectMs) : limits.connectMs;
    this.#client = new Client(
      { name: "sluicegate", version },
      {
        capabilities: CAPABILITIES,
        versionNegotiation: { mode: "auto", probe: { timeoutMs } },
        inputRequired: { autoFulfill: false },
      },
    );
    this.#requests = new Requests(this.#client, { limits, log, schedule });
    this.ended = new Promise((resolve) => {
      this.#client.onclose = () => {
        resolve(this.explain(null));
        this.#closed.abort(new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed"));
      };
    });
  }

  /**
   * `prior` is what an earlier connection found out about the server's protocol. When `signal` aborts, the connection
   * closes.
   */
  async open(prior: PriorDiscovery | null, signal: AbortSignal): Promise<void> {
    const { limits, onDoubt, onUpdated } = this.#options;
    const abort = (): void => void this.close();
    const forget = (): void => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
    void this.ended.then(forget);
    try {
      signal.throwIfAborted();
      let isConnected = false;
      const doubt = (): void => {
        if (isConnected) onDoubt();
      };
      const events = { onTrouble: doubt, onListChanged: doubt, onUpdated };
      const transport = new VettedTransport(this.#channel, limits, events);
      await this.#client.connect(transport, { timeout: limits.connectMs, ...(prior && { prior }) });
      isConnected = true;
    } catch (cause) {
      forget();
      await this.close();
      throw cause;
    }
  }

  /** What was found out about the server's protocol. */
  get discovery(): PriorDiscovery {
    const discover = this.#client.getDiscoverResult();
    return discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
  }

  /** Aborts when it has ended, for calls that are sending nothing. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get protocol(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? "unknown";
  }

  /** Lists its tools, and subscribes to changes. Never rejects. */
  async list(): Promise<Listing> {
    const { limits, log } = this.#options;
    await this.#listen();
    if (!this.#client.getServerCapabilities()?.tools) return { kind: "tools", tools: new Map() };
    const fetchPage = this.#pager();
    try {
      const list = await listTools((cursor) => fetchPage("tools/list", cursor), limits, log);
      return list.kind === "tools" ? { kind: "tools", tools: this.#callable(list.tools) } : list;
    } catch (cause) {
      const isTooLarge = verdictOf(cause) === "too-large";
      return { kind: "failed", reason: isTooLarge ? tooLongList(limits) : this.explain(cause) };
    }
  }

  /** Lists what it offers besides tools; what is unavailable stays as `known`. Never rejects. */
  offer(known: ServerOffer): Promise<ServerOffer> {
    const { limits, log } = this.#options;
    const { resources, prompts, completions } = this.#client.getServerCapabilities() ?? {};
    const can = {
      resources: resources !== undefined,
      prompts: prompts !== undefined,
      completions: completions !== undefined,
      subscribe: resources?.subscribe === true,
    };
    return listOffer(can, known, this.#pager(), limits, log);
  }

  /** Requests pages of lists; all together have the time limit of one listing. */
  #pager(): FetchPage {
    const end = performance.now() + this.#options.limits.listMs;
    return (method, cursor) =>
      this.#requests.send(method, cursor === undefined ? {} : { cursor }, {
        timeout: Math.max(1, end - performance.now()),
      });
  }

  /** Calls a tool with exactly these arguments. Rejects with the SDK's error. */
  call(tool: string, args: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const wanted = this.#paramHeaders.get(tool);
    const headers = wanted && toParamHeaders(wanted, args);
    const params = { name: tool, arguments: args };
    return this.request("tools/call", params, headers ? { ...options, headers } : options);
  }

  /** Sends a request, and answers the server's questions until it returns a result. Rejects with the SDK's error. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    return this.#requests.exchange(method, params, options);
  }

  /** Subscribes to a resource. Resolves with a function that ends it. */
  async subscribe(uri: string): Promise<() => Promise<void>> {
    const timeout = this.#options.limits.probeMs;
    if (this.#client.getProtocolEra() === "modern") {
      const subscription = await this.#client.listen({ resourceSubscriptions: [uri] }, { timeout });
      return () => subscription.close();
    }
    await this.#requests.send("resources/subscribe", { uri }, { timeout });
    return async () => void (await this.#requests.send("resources/unsubscribe", { uri }, { timeout }));
  }

  /** Why it can't be used, or has ended, as a clause. */
  explain(cause: unknown): string {
    if (this.#channel.ending !== null) return `its process ${this.#channel.ending}`;
    return cause === null ? "it closed the connection" : reasonOf(cause);
  }

  /** Whether the process ended when it was asked for its protocol. */
  endedWhileAsked(cause: unknown): boolean {
    const isUndecided = SdkError.isInstance(cause) && cause.code === SdkErrorCode.EraNegotiationFailed;
    return isUndecided && this.#channel.ending !== null;
  }

  async close(): Promise<void> {
    await this.#channel.close();
    await this.#client.close();
  }

  /** In the newest protocol, notifications need a subscription; older servers send them to everybody. */
  async #listen(): Promise<void> {
    const { limits, log, onDoubt } = this.#options;
    const { tools, resources, prompts } = this.#client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
    };
    const isOffered = Object.keys(filter).length > 0;
    if (this.#client.getProtocolEra() !== "modern" || !isOffered || this.#listening !== "no") return;
    try {
      const { closed } = await this.#client.listen(filter, { timeout: limits.probeMs });
      this.#listening = "yes";
      void closed.then((cause) => {
        this.#listening = "no";
        if (cause !== "local") onDoubt();
      });
    } catch {
      this.#listening = "refused";
      log("will not tell when its lists change");
    }
  }

  #callable(tools: ReadonlyMap<string, OfferedTool>): ReadonlyMap<string, OfferedTool> {
    if (this.#channel.kind !== "http" || this.#client.getProtocolEra() !== "modern") return tools;
    const { callable, headers } = selectCallable(tools, this.#options.log);
    this.#paramHeaders = headers;
    return callable;
  }
}

const tooLongList = ({ messageBytes, messageValues, tools }: UpstreamLimits): string =>
  `its list of tools has more than ${messageBytes} bytes or ${messageValues} values on one page: it may offer ${tools} tools, and list them in pages`;
