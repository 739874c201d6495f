/** Carries messages to a server and back, without any checks. */
import type { JSONRPCMessage, RequestId, TransportSendOptions } from "@modelcontextprotocol/client";

export interface ChannelEvents {
  /** A JSON message was received. */
  message(value: unknown): void;
  /** An answer was too large to be read; with its id if that could be found. */
  oversized(id: RequestId | null): void;
  /** The answer to the request that is being sent is a single document. */
  single?(): void;
  /** Something failed, perhaps without ending the channel. */
  trouble(): void;
  /** The channel ended, by itself or by `close`. */
  closed(): void;
}

export interface Channel {
  readonly kind: "stdio" | "http";
  start(events: ChannelEvents): Promise<void>;
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  /** Sets the protocol version, for channels that repeat it with each message. */
  useProtocol?(version: string): void;
  close(): Promise<void>;
  /** How the server's process ended by itself, as the end of a sentence; null if it didn't. */
  readonly ending: string | null;
}

/** Why a channel failed, as a clause in the gateway's own words. */
export class ChannelError extends Error {}
