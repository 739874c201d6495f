/**
 * One connection to a server: from the choice of its protocol to its end. It is never mended; after its end comes
 * another one. Nothing of any client is known here.
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
import { type ParamHeader, paramHeadersOf, toParamHeaders } from "./param-headers.ts";
import type { Log } from "./rate-limited-log.ts";
import type { Schedule } from "./schedule.ts";
import { createStdioChannel, type StdioServer } from "./stdio-channel.ts";
import { VettedTransport } from "./vetted-transport.ts";

export interface UpstreamServer {
  readonly id: string;
  readonly transport: StdioServer | HttpServer;
}

export interface ConnectionOptions {
  readonly limits: UpstreamLimits;
  readonly log: Log;
  readonly schedule: Schedule;
  /** Gives the attempt up. */
  readonly signal: AbortSignal;
  /** What an earlier connection found out about the server's protocol; saves asking again. */
  readonly prior: PriorDiscovery | null;
  /** Its tools may have changed, or it may be gone: list them again. */
  onDoubt(): void;
  /** It has ended. `reason` is a clause. */
  onEnd(reason: string): void;
}

export interface Connection {
  /** What was found out about the server's protocol. */
  readonly discovery: PriorDiscovery;
  /** Rejects with the SDK's error where the server doesn't answer. */
  list(): Promise<ToolList>;
  /** Rejects with the SDK's error. */
  call(tool: string, args: JsonObject, options: CallOptions): Promise<JsonObject>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

/** Connects. Rejects with a clause that says why not. */
export async function openConnection(
  server: UpstreamServer,
  options: ConnectionOptions,
): Promise<Connection> {
  const first = createAttempt(server.transport, options);
  try {
    return await first.open(options.prior);
  } catch (cause) {
    if (options.signal.aborted) throw new ConnectionFailure("the attempt was given up");
    if (options.prior !== null || !first.endedWhileAsked(cause)) throw first.toFailure(cause);
  }
  // Servers that know only older protocols may end when they are asked for the newest.
  const second = createAttempt(server.transport, options);
  try {
    return await second.open({ kind: "legacy" });
  } catch (cause) {
    throw second.toFailure(cause);
  }
}

/** Why a connection couldn't be had, as a clause in `message`. */
export class ConnectionFailure extends Error {}

interface Attempt {
  open(prior: PriorDiscovery | null): Promise<Connection>;
  /** Whether the process ended when it was asked for its protocol. */
  endedWhileAsked(cause: unknown): boolean;
  toFailure(cause: unknown): ConnectionFailure;
}
