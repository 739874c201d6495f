/** What carries messages to a server and back, before anything that it says is trusted. */
import type { JSONRPCMessage, RequestId, TransportSendOptions } from "@modelcontextprotocol/client";

export interface ChannelEvents {
  /** Something that was JSON came in. */
  message(value: unknown): void;
  /** An answer was too large to be read; its id where that could be found. */
  oversized(id: RequestId | null): void;
  /** Something went wrong that needn't be the end. */
  trouble(): void;
  /** It is over, by itself or by `close`. */
  closed(): void;
}

export interface Channel {
  readonly kind: "stdio" | "http";
  start(events: ChannelEvents): Promise<void>;
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  close(): Promise<void>;
  /** How the server's process ended, as the end of a sentence; null while it runs and where there is none. */
  readonly ending: string | null;
}
