/** The gateway on a port of this machine. */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { SluicegateError } from "../errors/index.ts";
import type { Gateway } from "./gateway.ts";
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
  /** Takes no new requests and ends those that are open. */
  close(): Promise<void>;
}

/**
 * Listens on the loopback.
 * @throws SluicegateError `usage` where the port is taken or can't be had.
 */
export function listen(gateway: Gateway, { port, allowHosts = [] }: ListenOptions): Promise<Listening> {
  const listening = Promise.withResolvers<Listening>();
  const server = serve(
    {
      fetch: (request: Request, connection: { readonly outgoing: { destroy(): unknown } }) =>
        gateway.fetch(request, { outgoing: { destroy: () => void connection.outgoing.destroy() } }),
      hostname: "127.0.0.1",
      port,
      serverOptions: { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 },
    },
    (address: AddressInfo) => {
      gateway.allowHosts(loopbackRules(address.port, allowHosts));
      listening.resolve({
        url: `http://127.0.0.1:${address.port}`,
        close: () => {
          const closed = Promise.withResolvers<void>();
          server.close(() => closed.resolve());
          if ("closeAllConnections" in server) server.closeAllConnections();
          return closed.promise;
        },
      });
    },
  );
  server.on("error", (cause: NodeJS.ErrnoException) => listening.reject(cannotListen(port, cause)));
  return listening.promise;
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
