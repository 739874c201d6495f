/** What carries messages to a server and back, before anything that it says is trusted. */
import type { JSONRPCMessage, RequestId, TransportSendOptions } from "@modelcontextprotocol/client";

export interface ChannelEvents {
  /** Something that was JSON came in. */
  message(value: unknown): void;
  /** An answer was too large to be read; its id where that could be found. */
  oversized(id: RequestId | null): void;
  /** The answer to the request that is being sent comes as one document, and nothing after it. */
  single?(): void;
  /** Something went wrong that needn't be the end. */
  trouble(): void;
  /** It is over, by itself or by `close`. */
  closed(): void;
}

export interface Channel {
  readonly kind: "stdio" | "http";
  start(events: ChannelEvents): Promise<void>;
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  /** Says what was agreed on, for channels that repeat it with each message. */
  useProtocol?(version: string): void;
  close(): Promise<void>;
  /** How the server's process ended by itself, as the end of a sentence; null where it didn't. */
  readonly ending: string | null;
}

/** Why a channel failed, as a clause of our own words. */
export class ChannelError extends Error {}
