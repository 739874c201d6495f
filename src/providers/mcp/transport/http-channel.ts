/** Messages over Streamable HTTP: the SDK's transport, with limits for answers. */
import { type RequestId, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { currentStream } from "../calls/exchange.ts";
import type { Schedule } from "../calls/schedule.ts";
import type { UpstreamLimits } from "../limits.ts";
import type { BearerTokens } from "../oauth/held-tokens.ts";
import { sendTokens, strikeOut } from "../oauth/send-tokens.ts";
import { createBoundedFetch } from "./bounded-fetch.ts";
import { type Channel, ChannelError } from "./channel.ts";
import { OpenRequests } from "./open-requests.ts";

export interface HttpServer {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Tokens that change; left out if the server needs none, or a fixed one among `headers`. */
  readonly tokens?: BearerTokens;
}

// THREAT: a server can request an immediate retry and close the connection each time. More milliseconds than a
// timer can have are an immediate one too.
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const RETRIES = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: MAX_RETRY_MS,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};
const CLOSE_TIMEOUT_MS = 1_000;
/** So long may a server take to accept a cancellation. */
const CANCELLATION_MS = 5_000;

export function createHttpChannel(server: HttpServer, limits: UpstreamLimits, schedule: Schedule): Channel {
  let transport: StreamableHTTPClientTransport | null = null;
  const requests = new OpenRequests();
  return {
    kind: "http",
    ending: null,
    start: async (events) => {
      const bounded = createBoundedFetch(limits, events.oversized, () => {
        requests.single(currentStream.getStore());
        events.single?.();
      });
      transport = new StreamableHTTPClientTransport(new URL(server.url), {
        requestInit: { headers: { ...server.headers } },
        fetch: bounded,
        ...(server.tokens && sendTokens(server.tokens, bounded)),
        reconnectionOptions: RETRIES,
        reconnectionScheduler: (reconnect, delayMs) =>
          schedule(reconnect, Math.min(Math.max(delayMs, MIN_RETRY_MS), MAX_RETRY_MS)),
      });
      transport.onmessage = (message) => {
        if (server.tokens) strikeOut(message, server.tokens.recent);
        if (!("method" in message)) requests.finish(message.id);
        events.message(message);
      };
      transport.onerror = events.trouble;
      transport.onclose = events.closed;
      await transport.start();
    },
    send: async (message, options) => {
      const opened = transport;
      if (opened === null) throw new ChannelError("its connection was not opened");
      // The SDK declares these options twice, with different treatment of `undefined`.
      type Options = Parameters<StreamableHTTPClientTransport["send"]>[1];
      if (!("method" in message && "id" in message)) {
        const isCancelled = "method" in message && message.method === "notifications/cancelled";
        if (isCancelled) requests.finish(message.params?.requestId as RequestId);
        const requestSignal = AbortSignal.timeout(isCancelled ? CANCELLATION_MS : limits.connectMs);
        await currentStream.exit(() => opened.send(message, { ...options, requestSignal } as Options));
        return;
      }
      const sending = opened.send(message, requests.begin(message.id, options) as Options);
      await sending.then(
        () => requests.sent(message.id),
        (cause) => {
          requests.abort(message.id);
          throw cause;
        },
      );
    },
    useProtocol: (version) => transport?.setProtocolVersion(version),
    close: async () => {
      if (transport === null) return;
      await sayFarewell(transport);
      await transport.close();
    },
  };
}

/** Ends the session that a server of an older revision keeps, so that it needn't wait for its expiry. */
async function sayFarewell(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  });
  await Promise.race([transport.terminateSession().catch(() => {}), late]);
  clearTimeout(timer);
}

/** Values passed to an HTTP server that may be secret. */
export function secretsOf({ url, headers }: HttpServer): readonly string[] {
  // Both `Bearer …` and the token alone are removed.
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+\s+/, "")]);
  if (!URL.canParse(url)) return values;
  const { username, password, searchParams } = new URL(url);
  return [...values, username, password, ...searchParams.values()];
}
