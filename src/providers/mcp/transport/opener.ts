/** Opens connections to a server one after the other, and caches what they find out about its protocol. */
import type { PriorDiscovery } from "@modelcontextprotocol/client";
import type { Clock } from "../../../runtime/index.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { HttpServer } from "./http-channel.ts";
import type { StdioServer } from "./stdio-channel.ts";

export interface Opener {
  /** A connection, or why there is none, as a clause. Never rejects. */
  open(): Promise<Connection | string>;
  /** Discards the cached protocol. */
  forget(): void;
}

// After an upgrade, a server still answers in the older protocol, so it is asked again after this time.
const DISCOVERY_LASTS_MS = 60 * 60 * 1000;

/** When `signal` aborts, all opened connections close. */
export function createOpener(
  server: StdioServer | HttpServer,
  options: ConnectionOptions,
  clock: Clock,
  signal: AbortSignal,
): Opener {
  let known: { readonly discovery: PriorDiscovery; readonly at: number } | null = null;
  return {
    open: async () => {
      const now = clock.now().getTime();
      if (known !== null && now - known.at > DISCOVERY_LASTS_MS) known = null;
      try {
        const connection = await openConnection(server, options, known?.discovery ?? null, signal);
        known ??= { discovery: connection.discovery, at: now };
        return connection;
      } catch (cause) {
        known = null;
        return cause instanceof Error ? cause.message : "it could not be reached";
      }
    },
    forget: () => {
      known = null;
    },
  };
}

/**
 * Connects. A server that exits when it is asked for the newest protocol is started once more and asked for an older
 * one. Rejects with an `Error` whose message is a clause with the reason.
 */
async function openConnection(
  server: StdioServer | HttpServer,
  options: ConnectionOptions,
  prior: PriorDiscovery | null,
  signal: AbortSignal,
): Promise<Connection> {
  for (let known = prior; ; known = { kind: "legacy" }) {
    const connection = new Connection(server, options);
    try {
      await connection.open(known, signal);
      return connection;
    } catch (cause) {
      if (signal.aborted) throw new Error("the attempt was given up", { cause });
      if (known !== null || !connection.endedWhileAsked(cause)) {
        throw new Error(connection.explain(cause), { cause });
      }
    }
  }
}
