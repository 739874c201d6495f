/** `sluicegate journal`: its commands. Each loads what it does only when it runs. */
import type { Command } from "commander";
import { type CommandHelp, describeCommand } from "../terminal/command-help.ts";
import { logFormatOption } from "../terminal/lasting.ts";

/** Where the record is looked for. */
export interface JournalOptions {
  readonly config?: string;
  readonly store?: string;
  readonly json?: true;
}

const EXIT_2 = "wrong usage, or a store that is missing or can't be read";

export function setUp(command: Command): void {
  command
    .description(
      "The record of what was decided: shows it, verifies that nobody changed it, exports it. It holds names, labels and reasons, and no argument or result.",
    )
    .usage("COMMAND [options]");
  setUpShow(command);
  setUpVerify(command);
  setUpExport(command);
  setUpReceipt(command);
  setUpVerifyReceipt(command);
  setUpPush(command);
}

type Answer = (session: string | undefined, options: JournalOptions) => Promise<void>;

function subcommand(
  journal: Command,
  name: string,
  summary: string,
  help: CommandHelp,
  answer: Answer,
): Command {
  return describeCommand(journal.command(name).summary(summary), help)
    .argument("[session]", "a session's id; left out: all sessions")
    .option(
      "--config <file>",
      "the policy file; the store is .sluicegate/sluicegate.db beside it",
      "sluicegate.yaml",
    )
    .option("--store <store>", "the store itself: sqlite:FILE, a path, or postgres://HOST/DATABASE")
    .action(answer);
}

function setUpShow(journal: Command): void {
  const help: CommandHelp = {
    does: "Lists the sessions, or shows one as a timeline: when which tool was called, what became of it and why, and the label after it.",
    examples: [
      "sluicegate journal show",
      "sluicegate journal show sess_7f3a --config examples/office/sluicegate.yaml",
    ],
    exits: { 0: "shown", 2: EXIT_2 },
    json: "print { sessions } or { session_id, events } as one JSON document",
  };
  subcommand(
    journal,
    "show",
    "list the sessions, or show one as a timeline",
    help,
    async (session, options) => (await import("./journal-show.ts")).show(session, options),
  );
}

function setUpVerify(journal: Command): void {
  const help: CommandHelp = {
    does: "Verifies that the record is whole: every entry's hash, every link to the one before, every chain's end, and what the database itself finds broken.",
    examples: [
      "sluicegate journal verify",
      "sluicegate journal verify --store sqlite:/var/lib/gate/sluicegate.db",
    ],
    exits: { 0: "everything is as it was written", 1: "something is not", 2: EXIT_2 },
    json: "print { ok, sessions, entries, problems } as one JSON document",
  };
  subcommand(journal, "verify", "check that nobody changed the record", help, async (session, options) =>
    (await import("./journal-verify.ts")).verify(session, options),
  ).option("--archive <file>", "verify what `sluicegate archive` wrote; against the store, if there is one");
}

function setUpExport(journal: Command): void {
  const help: CommandHelp = {
    does: "Prints every entry as a line of JSON with its session and its hash, in the order in which they were written, for pipes and archives.",
    examples: ["sluicegate journal export > journal.jsonl", "sluicegate journal export sess_7f3a | jq .kind"],
    exits: { 0: "exported", 2: EXIT_2 },
    json: "print { events } as one JSON document instead of lines",
  };
  subcommand(journal, "export", "print it as JSON lines", help, async (session, options) =>
    (await import("./journal-export.ts")).exportEntries(session, options),
  );
}

function setUpPush(journal: Command): void {
  const command = journal
    .command("push")
    .summary("send it to a webhook, a syslog or a collector, as it grows");
  describeCommand(command, {
    does: "Sends every entry to a webhook, a syslog or an OpenTelemetry collector, in order and at least once, and waits for more. It goes on where it was after a restart; an entry that comes twice has the same position.",
    examples: [
      "SLUICEGATE_PUSH_SECRET=… sluicegate journal push --to webhook:https://log.acme.example/gate",
      "sluicegate journal push --to syslog:tls://log.acme.example:6514",
      "sluicegate journal push --to otlp:http://127.0.0.1:4318/v1/logs --once",
    ],
    exits: {
      0: "a signal ended it, or with `--once` everything has arrived",
      2: `${EXIT_2}, or isn't the one that was pushed before`,
    },
    json: "has no effect here: nothing but the log is printed",
  })
    .requiredOption("--to <target>", "webhook:URL, otlp:URL, or syslog:tls://HOST:PORT (or tcp, or unix)")
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", "the store itself: sqlite:FILE, a path, or postgres://HOST/DATABASE")
    .option(
      "--cursor <file>",
      "where it is kept how far it has come; by default beside the store, for each target",
    )
    .option("--once", "end when everything has arrived")
    .addOption(logFormatOption())
    .action(async (options) => (await import("./journal-push.ts")).push(options));
}

function setUpReceipt(journal: Command): void {
  const command = journal.command("receipt").summary("sign what it says of a session or a call");
  describeCommand(command, {
    does: "Prints a receipt: what the record says of one session or one call, with the head of its chain, signed. Whoever has the public key verifies it without the store. The signing key is derived from the key beside the store, unless SLUICEGATE_RECEIPT_KEY has one (64 hex digits).",
    examples: [
      "sluicegate journal receipt call_7f3a > receipt.json",
      "sluicegate journal receipt --public-key > receipts.pem",
    ],
    exits: { 0: "printed", 2: `${EXIT_2}, or has no such session or call` },
    json: "the same: a receipt is one JSON document; the public key as { public_key }",
  })
    .argument("[id]", "a session's id, or a call's")
    .option("--public-key", "print the key that receipts are verified with instead")
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", "the store itself: sqlite:FILE, a path, or postgres://HOST/DATABASE")
    .action(async (id, options) => (await import("./journal-receipt.ts")).printReceipt(id, options));
}

function setUpVerifyReceipt(journal: Command): void {
  const command = journal.command("verify-receipt").summary("verify a receipt with a public key alone");
  describeCommand(command, {
    does: "Verifies a receipt offline: that the owner of the key signed it, and that its entries are as they were sealed.",
    examples: ["sluicegate journal verify-receipt receipt.json --key receipts.pem"],
    exits: { 0: "valid", 1: "not valid, and why", 2: "wrong usage, or a file that can't be read" },
    json: "print { ok, problem, statement } as one JSON document",
  })
    .argument("<file>", "the receipt")
    .requiredOption("--key <file>", "the public key, as `sluicegate journal receipt --public-key` prints it")
    .action(async (file, options) => (await import("./verify-receipt.ts")).verifyFile(file, options));
}
