/** Serves the gateway on a port of this machine. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { type Http2Bindings, type HttpBindings, serve } from "@hono/node-server";
import { SluicegateError } from "../../errors/index.ts";
import type { Gateway } from "../gateway.ts";
import { loopbackRules, toBasePath } from "./origin.ts";

export interface ListenOptions {
  /** 0 takes a free port. */
  readonly port: number;
  /** The address to listen on; the loopback by default. */
  readonly host?: string;
  /** Further accepted values of `Host`, such as `gate.acme.example:443`. */
  readonly allowHosts?: readonly string[];
  /** The prefix of its paths behind a proxy, such as `/sluicegate`. Requests without it are answered too. */
  readonly basePath?: string;
}

export interface Listening {
  /** Such as `http://127.0.0.1:7311`, with the base path if there is one. */
  readonly url: string;
  /**
   * Takes no new requests and ends those that are open. With `graceMs`, answers, but not streams, have that long to
   * finish.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Listens on the loopback, or on another address of this machine.
 * @throws SluicegateError `usage` if the port can't be used, or if it listens on every address without a name in
 *   `allowHosts`.
 */
export async function listen(
  gateway: Gateway,
  { port, host = LOOPBACK, allowHosts = [], basePath: givenPath = "" }: ListenOptions,
): Promise<Listening> {
  const basePath = toBasePath(givenPath);
  if (WILDCARDS.has(host) && allowHosts.length === 0) throw nameless(host);
  const listening = Promise.withResolvers<Listening>();
  const answering = new Set<ServerResponse>();
  /** How many requests of a connection wait for their answers. */
  const waiting = new WeakMap<Socket, number>();
  const server = serve(
    {
      fetch: (request: Request, { incoming, outgoing }: HttpBindings | Http2Bindings) => {
        const { socket } = incoming;
        if (socket.destroyed || (waiting.get(socket) ?? 0) > MAX_AHEAD) {
          socket.destroy();
          return new Response(null, { status: 429 });
        }
        return gateway.fetch(request, {
          outgoing: {
            isOldest: incoming.httpVersion === "1.0",
            destroy: () => void outgoing.destroy(),
            onClose: (end) => (socket.destroyed ? end() : void outgoing.once("close", end)),
          },
        });
      },
      hostname: host,
      port,
      serverOptions: {
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        keepAliveTimeout: 5_000,
        // How often timeouts are checked. Node's default of 30 s would add that much to each.
        connectionsCheckingInterval: 1000,
      },
    },
    (address: AddressInfo) => {
      const reached = `${toUrlHost(host)}:${address.port}`;
      // Any address but this machine's is behind TLS.
      const origin = allowHosts[0] === undefined ? `http://${reached}` : `https://${allowHosts[0]}`;
      const rules = loopbackRules(address.port, [reached, ...allowHosts]);
      gateway.allowHosts({ ...rules, origin: `${origin}${basePath}`, basePath });
      listening.resolve({
        url: `http://${reached}${basePath}`,
        close: async ({ graceMs = 0 } = {}) => {
          const closed = Promise.withResolvers<void>();
          server.close(() => closed.resolve());
          if (graceMs > 0) await arrived(answering, graceMs);
          if ("closeAllConnections" in server) server.closeAllConnections();
          return closed.promise;
        },
      });
    },
  );
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    answering.add(response);
    waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
    response.once("close", () => {
      answering.delete(response);
      waiting.set(socket, (waiting.get(socket) ?? 0) - 1);
    });
  });
  server.on("error", (cause: NodeJS.ErrnoException) => listening.reject(cannotListen(port, cause)));
  return listening.promise;
}

/**
 * How many requests a client may send ahead of their answers; its connection is closed at more. THREAT: Node hands on all
 * requests of a chunk in one turn of the event loop, so others would wait for them. Clients of HTTP/1.1 send none ahead.
 */
const MAX_AHEAD = 16;
const LOOPBACK = "127.0.0.1";
/** These listen on every address of the machine. */
const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

function toUrlHost(host: string): string {
  if (WILDCARDS.has(host)) return LOOPBACK;
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * THREAT: a web page can reach any address of this machine under its own host name (DNS rebinding), so accepted names
 * must be listed.
 */
const nameless = (host: string): SluicegateError =>
  new SluicegateError("usage", `The gateway can't listen on ${host}: it has no name to be reached by.`, {
    why: "Each request's `Host` must be a name that is the gateway's own, and only those of the loopback are known.",
    fix: "Name it, as in `--allow-host gate.acme.example`, and put a TLS proxy before it that passes `Host` on.",
  });

/** Resolves when all answers except streams are sent, or after this time. */
async function arrived(answering: ReadonlySet<ServerResponse>, graceMs: number): Promise<void> {
  const isStream = (one: ServerResponse): boolean =>
    String(one.getHeader("content-type") ?? "").startsWith("text/event-stream");
  const open = [...answering].filter((one) => !isStream(one));
  const all = Promise.all(open.map((one) => once(one, "close").catch(() => {})));
  await Promise.race([all, setTimeout(graceMs, undefined, { ref: false })]);
}

function cannotListen(port: number, cause: NodeJS.ErrnoException): SluicegateError {
  return new SluicegateError("usage", `The gateway can't listen on port ${port}.`, {
    why:
      cause.code === "EADDRINUSE"
        ? "Another program listens there already."
        : `The system says ${cause.code}.`,
    fix: "Stop that program, or choose another port with `--port`.",
    cause,
  });
}
