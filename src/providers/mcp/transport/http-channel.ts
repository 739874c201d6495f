/** Messages over Streamable HTTP: the SDK's transport, with a bound on what an answer may hold. */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Schedule } from "../calls/schedule.ts";
import type { UpstreamLimits } from "../limits.ts";
import type { BearerTokens } from "../oauth/held-tokens.ts";
import { sendTokens, strikeOut } from "../oauth/send-tokens.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import { type Channel, ChannelError } from "./channel.ts";

export interface HttpServer {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Tokens that change; left out where the server asks for none, or for one among `headers`. */
  readonly tokens?: BearerTokens;
}

// THREAT: a server can ask to be asked again after no time at all, and hang up each time.
const MIN_RETRY_MS = 1_000;
const RETRIES = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};
const CLOSE_TIMEOUT_MS = 1_000;

export function createHttpChannel(server: HttpServer, limits: UpstreamLimits, schedule: Schedule): Channel {
  let transport: StreamableHTTPClientTransport | null = null;
  return {
    kind: "http",
    ending: null,
    start: async (events) => {
      const bounded = createBoundedFetch(limits, events.oversized, events.single);
      transport = new StreamableHTTPClientTransport(new URL(server.url), {
        requestInit: { headers: { ...server.headers } },
        fetch: bounded,
        ...(server.tokens && sendTokens(server.tokens, bounded)),
        reconnectionOptions: RETRIES,
        reconnectionScheduler: (reconnect, delayMs) => schedule(reconnect, Math.max(delayMs, MIN_RETRY_MS)),
      });
      transport.onmessage = (message) => {
        if (server.tokens) strikeOut(message, server.tokens.recent);
        events.message(message);
      };
      transport.onerror = events.trouble;
      transport.onclose = events.closed;
      await transport.start();
    },
    send: async (message, options) => {
      if (transport === null) throw new ChannelError("its connection was not opened");
      // The SDK declares the same options twice, and differently on whether `undefined` may be said.
      await transport.send(message, options as Parameters<StreamableHTTPClientTransport["send"]>[1]);
    },
    useProtocol: (version) => transport?.setProtocolVersion(version),
    close: async () => {
      if (transport === null) return;
      await sayFarewell(transport);
      await transport.close();
    },
  };
}

/** Ends the session that servers of the older revisions keep, so that they needn't hold it until it expires. */
async function sayFarewell(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  });
  await Promise.race([transport.terminateSession().catch(() => {}), late]);
  clearTimeout(timer);
}

/** What an HTTP server was given that may be secret. */
export function secretsOf({ url, headers }: HttpServer): readonly string[] {
  // `Bearer …` and what follows it are struck out each.
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+\s+/, "")]);
  if (!URL.canParse(url)) return values;
  const { username, password, searchParams } = new URL(url);
  return [...values, username, password, ...searchParams.values()];
}
