/** The gateway on a port of this machine. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { SluicegateError } from "../../errors/index.ts";
import type { Gateway } from "../gateway.ts";
import { loopbackRules } from "./origin.ts";

export interface ListenOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Further values of `Host` that are ours, such as `gate.acme.example:443`. */
  readonly allowHosts?: readonly string[];
}

export interface Listening {
  /** Such as `http://127.0.0.1:7311`. */
  readonly url: string;
  /**
   * Takes no new requests and ends those that are open. With `graceMs`, answers that are on their way have so long to
   * arrive; streams haven't.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Listens on the loopback.
 * @throws SluicegateError `usage` where the port is taken or can't be had.
 */
export function listen(gateway: Gateway, { port, allowHosts = [] }: ListenOptions): Promise<Listening> {
  const listening = Promise.withResolvers<Listening>();
  const answering = new Set<ServerResponse>();
  const server = serve(
    {
      fetch: (request: Request, connection: { readonly outgoing: { destroy(): unknown } }) =>
        gateway.fetch(request, { outgoing: { destroy: () => void connection.outgoing.destroy() } }),
      hostname: "127.0.0.1",
      port,
      serverOptions: {
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        keepAliveTimeout: 5_000,
        // How often those times are examined; Node's own 30 s would let a request have as much on top.
        connectionsCheckingInterval: 1000,
      },
    },
    (address: AddressInfo) => {
      gateway.allowHosts(loopbackRules(address.port, allowHosts));
      listening.resolve({
        url: `http://127.0.0.1:${address.port}`,
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
  server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    answering.add(response);
    response.once("close", () => answering.delete(response));
  });
  server.on("error", (cause: NodeJS.ErrnoException) => listening.reject(cannotListen(port, cause)));
  return listening.promise;
}

/** Resolves when all answers but streams have arrived, or after so many milliseconds. */
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
