/** `sluicegate freeze`: stops calls at once, and lists what is stopped. */
import type { Command } from "commander";
import { addWhereabouts } from "../approvals/pending.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printJson, printLine, printTable, shorten, styled } from "../terminal/terminal.ts";
import type { Whereabouts } from "../wiring/gateway-client.ts";
import type { FreezeSource } from "./freeze-source.ts";

interface FreezeOptions extends Whereabouts {
  readonly principal?: string;
  readonly session?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly why?: string;
  readonly list?: true;
  readonly json?: true;
}

export function setUp(command: Command): void {
  const described = describeCommand(command, {
    does: "Stops everything, or all calls of one principal, session, server or tool, before anything else of them is decided. It is durable, and in force on every gateway of the store within a second; calls that run are stopped too. `sluicegate unfreeze` ends it.",
    examples: [
      "sluicegate freeze",
      'sluicegate freeze --server mail --why "it sends to strangers"',
      "sluicegate freeze --session sess_7f3a…",
      "sluicegate freeze --list",
    ],
    exits: { 0: "frozen, or listed", 2: "wrong usage, or a policy, a store or a gateway that can't be used" },
    json: "print the freeze, or { freezes }, as one JSON document",
  });
  addWhereabouts(described)
    .option("--principal <name>", "stop all sessions of this principal")
    .option("--session <id>", "stop this session and its forks")
    .option("--server <id>", "stop all calls of this server")
    .option("--tool <name>", "stop all calls of this tool")
    .option("--why <words>", "why, for the journal")
    .option("--list", "list what is frozen, and freeze nothing")
    .action(run);
}

async function run({ list, json, ...options }: FreezeOptions): Promise<void> {
  const { openFreezes } = await import("./freeze-source.ts");
  const source = await openFreezes(options);
  try {
    await (list ? show(source, json) : set(source, options, json));
  } finally {
    await source.close();
  }
}

async function set(source: FreezeSource, options: FreezeOptions, json: true | undefined): Promise<void> {
  const { describeTarget } = await import("./freeze-source.ts");
  const { principal, session, server, tool, why } = options;
  const given = Object.entries({ principal, session, server, tool, why });
  const frozen = await source.set(Object.fromEntries(given.filter(([, value]) => value !== undefined)));
  if (json) return printJson(frozen);
  printLine(styled("yellow", "frozen"), `: ${shorten(describeTarget(frozen))}`);
  printLine(`  end it with: sluicegate unfreeze ${frozen.id}`);
}

async function show(source: FreezeSource, json: true | undefined): Promise<void> {
  const { describeTarget } = await import("./freeze-source.ts");
  const freezes = await source.list();
  if (json) return printJson({ freezes });
  if (freezes.length === 0) return printLine("Nothing is frozen.");
  printTable(
    freezes.map((one) => [one.id, shorten(describeTarget(one)), `${one.at} by ${one.by}`, one.why ?? ""]),
  );
}
