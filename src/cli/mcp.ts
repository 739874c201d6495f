/** `sluicegate mcp`: the gateway over stdio, one session for the life of the process. */
import { serveSessionOnStdio } from "../gateway/index.ts";
import { runGateway, untilSignal } from "./run-gateway.ts";

export interface McpOptions {
  readonly config: string;
  readonly store?: string | undefined;
  readonly role?: string | undefined;
  readonly quiet: boolean;
}

/** Serves until the client goes or a signal comes. Standard output belongs to the protocol alone. */
export async function mcp({ config, store, role, quiet }: McpOptions): Promise<void> {
  const log = (line: string): void => {
    if (!quiet) process.stderr.write(`${line}\n`);
  };
  const ended = untilSignal();
  const { gateway } = await runGateway({ config, store, log });
  await Promise.race([gateway.catalog.settled, ended]);
  const session = await gateway.gate.open({ principal: "operator", ...(role !== undefined && { role }) });
  log(`session ${session.id}`);
  await Promise.race([
    serveSessionOnStdio(gateway.service, session, { onFault: (cause) => log(`fault: ${cause}`) }),
    ended,
  ]);
  await gateway.close();
}
