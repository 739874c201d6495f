/**
 * One connection to a server: from the choice of its protocol to its end. It is never mended; after its end comes
 * another one. Nothing of any client of the gateway is known here.
 */
import {
  Client,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from "@modelcontextprotocol/client";
import type { OfferedTool } from "../../session/index.ts";
import { reasonOf } from "./call-failure.ts";
import type { Channel } from "./channel.ts";
import { createHttpChannel, type HttpServer } from "./http-channel.ts";
import { isJsonObject, type JsonObject } from "./json-object.ts";
import type { UpstreamLimits } from "./limits.ts";
import { listTools, type ToolList } from "./list-tools.ts";
import { type ParamHeader, selectCallable, toParamHeaders } from "./param-headers.ts";
import type { Log } from "./rate-limited-log.ts";
import type { Schedule } from "./schedule.ts";
import { createStdioChannel, type StdioServer } from "./stdio-channel.ts";
import { VettedTransport } from "./vetted-transport.ts";

export interface ConnectionOptions {
  /** The gateway's version; it introduces itself by its own name, never as one of its clients. */
  readonly version: string;
  readonly limits: UpstreamLimits;
  readonly log: Log;
  readonly schedule: Schedule;
  /** Its tools may have changed, or it may be gone: list them again. */
  readonly onDoubt: () => void;
}

/** What came of asking a server for its tools; `reason` is a clause. */
export type Listing = ToolList | { readonly kind: "failed"; readonly reason: string };

export interface CallOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

// The SDK's own schemas drop the fields that they don't know; what is needed of an answer is taken out of it here.
const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": {
    version: 1,
    vendor: "sluicegate",
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: "not an object" }] }),
  },
};

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #channel: Channel;
  readonly #client: Client;
  #paramHeaders: ReadonlyMap<string, readonly ParamHeader[]> = new Map();
  #listening: "no" | "yes" | "refused" = "no";
  /** Resolves with why, as a clause, when it has ended. */
  readonly ended: Promise<string>;

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
        capabilities: {},
        versionNegotiation: { mode: "auto", probe: { timeoutMs } },
        inputRequired: { autoFulfill: false },
      },
    );
    this.#client.setNotificationHandler("notifications/tools/list_changed", options.onDoubt);
    this.ended = new Promise((resolve) => {
      this.#client.onclose = () => resolve(this.explain(null));
    });
  }

  /**
   * `prior` is what an earlier connection found out about the server's protocol; it saves asking. Once `signal`
   * aborts, the connection closes.
   */
  async open(prior: PriorDiscovery | null, signal: AbortSignal): Promise<void> {
    const { limits, onDoubt } = this.#options;
    const abort = (): void => void this.close();
    const forget = (): void => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
    void this.ended.then(forget);
    try {
      signal.throwIfAborted();
      let isConnected = false;
      const transport = new VettedTransport(this.#channel, limits, () => isConnected && onDoubt());
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

  get protocol(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? "unknown";
  }

  /** Lists its tools, and has it tell when they change. Never rejects. */
  async list(): Promise<Listing> {
    const { limits, log } = this.#options;
    await this.#listen();
    if (!this.#client.getServerCapabilities()?.tools) return { kind: "tools", tools: new Map() };
    const end = performance.now() + limits.listMs;
    const fetchPage = (cursor: string | undefined): Promise<JsonObject> =>
      this.#client.request(
        { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
        ANY_RESULT,
        {
          timeout: Math.max(1, end - performance.now()),
        },
      );
    try {
      const list = await listTools(fetchPage, limits, log);
      return list.kind === "tools" ? { kind: "tools", tools: this.#callable(list.tools) } : list;
    } catch (cause) {
      return { kind: "failed", reason: this.explain(cause) };
    }
  }

  /** Calls a tool with exactly these arguments. Rejects with the SDK's error. */
  call(tool: string, args: JsonObject, { timeout, signal }: CallOptions): Promise<JsonObject> {
    const wanted = this.#paramHeaders.get(tool);
    return this.#client.request(
      { method: "tools/call", params: { name: tool, arguments: args } },
      ANY_RESULT,
      {
        timeout,
        ...(signal && { signal }),
        ...(wanted && { headers: toParamHeaders(wanted, args) }),
      },
    );
  }

  /** Why it could not be used, or has ended, as a clause. */
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

  /** The newest protocol sends notices only to who subscribes to them; the older ones to everybody. */
  async #listen(): Promise<void> {
    const { limits, log, onDoubt } = this.#options;
    const isOffered = this.#client.getServerCapabilities()?.tools?.listChanged === true;
    if (this.#client.getProtocolEra() !== "modern" || !isOffered || this.#listening !== "no") return;
    try {
      const { closed } = await this.#client.listen({ toolsListChanged: true }, { timeout: limits.probeMs });
      this.#listening = "yes";
      void closed.then((cause) => {
        this.#listening = "no";
        if (cause !== "local") onDoubt();
      });
    } catch {
      this.#listening = "refused";
      log("will not tell when its tools change");
    }
  }

  #callable(tools: ReadonlyMap<string, OfferedTool>): ReadonlyMap<string, OfferedTool> {
    if (this.#channel.kind !== "http" || this.#client.getProtocolEra() !== "modern") return tools;
    const { callable, headers } = selectCallable(tools, this.#options.log);
    this.#paramHeaders = headers;
    return callable;
  }
}
