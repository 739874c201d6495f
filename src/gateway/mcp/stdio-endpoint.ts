/** MCP over stdio, for agents that start their servers: one client, one session, for the life of the process. */
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Session } from "../../session/index.ts";
import type { Service } from "../service.ts";
import { createSessionServer } from "./session-server.ts";

export interface StdioOptions {
  readonly input?: Readable;
  readonly output?: Writable;
  readonly onFault: (cause: unknown) => void;
}

/** Serves a session on stdio. Resolves when the client has gone. */
export async function serveSessionOnStdio(
  service: Service,
  session: Session,
  options: StdioOptions,
): Promise<void> {
  const { input = process.stdin, output = process.stdout, onFault } = options;
  const transport = new StdioServerTransport(input, output, { maxBufferSize: service.limits.bodyBytes });
  const handle = serveStdio(() => createSessionServer(service, session), { transport, onerror: onFault });
  const gone = Promise.withResolvers<void>();
  for (const event of ["end", "close", "error"]) input.once(event, () => gone.resolve());
  output.once("error", () => gone.resolve());
  await gone.promise;
  await handle.close();
}
