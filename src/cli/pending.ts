/** `sluicegate pending`: the calls that wait for a person; on a terminal they can be judged and answered there. */
import type { Command } from "commander";
import { appealLines, approvalLines, behindWords, expiryWords } from "./approvals/approval-words.ts";
import { openApprovals } from "./approvals/open-approvals.ts";
import type { WireApproval } from "./approvals/parse-approval.ts";
import { describeCommand } from "./terminal/command-help.ts";
import { printJson, printLine, printLines, styled } from "./terminal/terminal.ts";
import type { Whereabouts } from "./wiring/gateway-client.ts";
import { STORE_OPTION } from "./wiring/store-file.ts";
import { untilSignal } from "./wiring/until-signal.ts";

interface PendingOptions extends Whereabouts {
  readonly once?: true;
  readonly json?: true;
}

/** Sets the command up. */
export function setUp(command: Command): void {
  const described = describeCommand(command, {
    does: "Shows the calls that wait for a person, one of each session: what would run, for whom, why it is asked, what it changes; and what agents said on refused calls. On a terminal it stays: you choose one, see it whole, and answer `approve` or `deny`. Else it prints them once.",
    examples: [
      "sluicegate pending",
      "sluicegate pending --once --config examples/office/sluicegate.yaml",
      "sluicegate pending --json | jq '.approvals[].id'",
    ],
    exits: {
      0: "shown, whether anything waits or not",
      2: "wrong usage, or no gateway or store that can be used",
    },
    json: "print { approvals, appeals } as one JSON document, and end",
  });
  addWhereabouts(described).option("--once", "print them once and end, on a terminal too").action(pending);
}

/** The options of every command that looks at approvals. */
export const addWhereabouts = (command: Command): Command =>
  command
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .option("--url <url>", "the gateway; by default http://127.0.0.1:7311, or the store itself");

async function pending({ once, json, ...whereabouts }: PendingOptions): Promise<void> {
  const source = await openApprovals(whereabouts);
  try {
    const { stdin: input, stdout: output } = process;
    const isLive = !once && input.isTTY && output.isTTY && process.env.TERM !== "dumb";
    if (json) printJson({ approvals: await source.pending(), appeals: await source.appeals() });
    else if (!isLive) {
      print(source.place, await source.pending());
      printLines(appealLines(await source.appeals()));
    } else {
      const { promptPending } = await import("./approvals/pending-prompt.ts");
      await promptPending(source, { input, output }, untilSignal());
    }
  } finally {
    await source.close();
  }
}

function print(place: string, approvals: readonly WireApproval[]): void {
  printLine(styled("bold", "Approvals"), ` at ${place}`);
  if (approvals.length === 0) printLine("Nothing waits for a person.");
  for (const approval of approvals) {
    printLine();
    printLines(approvalLines(approval));
    const { id, expires_at } = approval;
    printLine(styled("yellow", expiryWords(expires_at, new Date())), `  ${behindWords(approval)}`);
    printLine(
      "  ",
      styled("bold", `sluicegate approve ${id}`),
      "  or  ",
      styled("bold", `sluicegate deny ${id}`),
    );
  }
}
