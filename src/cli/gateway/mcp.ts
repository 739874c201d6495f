/** `sluicegate mcp`: the gateway over stdio, one session for the life of the process. */
import type { Command } from "commander";
import { describeCommand } from "../terminal/command-help.ts";
import { createLog, type LogFormat, logFormatOption, untilSignal } from "../terminal/lasting.ts";
import { closeWith, runGateway } from "../wiring/run-gateway.ts";
import { STORE_OPTION } from "../wiring/store-file.ts";

interface McpOptions {
  readonly config: string;
  readonly store?: string;
  readonly verbose?: true;
  readonly role?: string;
  readonly logFormat: LogFormat;
}

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Runs the gateway over stdio, for agents that start their MCP servers themselves. Each process opens one clean session. Its log goes to stderr.",
    examples: [
      "sluicegate mcp --config sluicegate.yaml",
      `{ "mcpServers": { "sluicegate": { "command": "sluicegate", "args": ["mcp", "--config", "/path/to/sluicegate.yaml"] } } }`,
    ],
    exits: {
      0: "the client has gone, or a signal ended it",
      2: "wrong usage, or a policy or a store that can't be used",
    },
    json: "has no effect here: standard output belongs to the protocol",
  })
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .option("--role <name>", "the session's role")
    .option("--verbose", "also log what the servers behind it say")
    .addOption(logFormatOption())
    .action(mcp);
}

/** How long a signal waits for calls that run. */
const DRAIN_MS = 10_000;

async function mcp({ config, store, role, verbose, logFormat }: McpOptions): Promise<void> {
  const log = createLog(logFormat);
  const ended = untilSignal();
  const { gateway } = await runGateway({ config, store, log, verbose, announces: true });
  await closeWith(gateway, async () => {
    await Promise.race([gateway.catalog.settled, ended]);
    const session = await gateway.gate.open(role === undefined ? {} : { role });
    log(`session ${session.id}`);
    const { serveSessionOnStdio } = await import("../wiring/doors.ts");
    const served = serveSessionOnStdio(gateway.service, session, {
      onFault: (cause) => log(`fault: ${cause}`, "error"),
    });
    await Promise.race([served, ended.then(() => gateway.gate.calls.drain(DRAIN_MS))]);
  });
}
