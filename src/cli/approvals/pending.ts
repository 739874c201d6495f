/** `sluicegate pending`: the calls that wait for a person; on a terminal they can be judged and answered there. */
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { untilSignal } from "../terminal/lasting.ts";
import { printJson, printLine, printLines, styled } from "../terminal/terminal.ts";
import { findGateway, type Whereabouts } from "../wiring/gateway-client.ts";
import { STORE_OPTION } from "../wiring/store-file.ts";
import {
  appealLines,
  approvalLines,
  behindWords,
  callerWords,
  clearedWords,
  expiryWords,
  standingLines,
} from "./approval-words.ts";
import { openApprovals } from "./open-approvals.ts";
import { parseDenied, parseStanding, type WireApproval } from "./parse-approval.ts";

interface PendingOptions extends Whereabouts {
  readonly once?: true;
  readonly json?: true;
}

export function setUp(command: Command): void {
  const described = describeCommand(command, {
    does: "Shows the calls that wait for a person, one of each session: what would run, for whom, why it is asked, what it changes; the standing approvals of a running gateway; and what agents said on refused calls. On a terminal it stays: you choose one, see it whole, and answer `approve` or `deny`. Else it prints them once. `revoke` ends a standing approval at once, `clear` denies all calls whose caller has gone.",
    examples: [
      "sluicegate pending",
      "sluicegate pending --once --config examples/office/sluicegate.yaml",
      "sluicegate pending --json | jq '.approvals[].id'",
      "sluicegate pending revoke stand_5f0c…",
      "sluicegate pending clear",
    ],
    exits: {
      0: "shown, whether anything waits or not, revoked, or cleared",
      2: "wrong usage, an unknown id, or no gateway or store that can be used",
    },
    json: "print { approvals, standing_approvals, appeals } as one JSON document, and end; standing_approvals is null without a gateway. With `revoke`, the standing approval that has ended; with `clear`, { denied }, the ids",
  });
  addWhereabouts(described)
    .argument("[action]", "`revoke`, to end a standing approval, or `clear`")
    .argument("[id]", "the standing approval")
    .option("--once", "print them once and end, on a terminal too")
    .action(pending);
}

/** The options of every command that examines approvals. */
export const addWhereabouts = (command: Command): Command =>
  command
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .option("--url <url>", "the gateway; by default http://127.0.0.1:7311, or the store itself");

async function pending(
  action: string | undefined,
  id: string | undefined,
  options: PendingOptions,
): Promise<void> {
  if (action === undefined) return show(options);
  if (action === "clear" && id === undefined && !options.once) return clear(options);
  if (action !== "revoke" || id === undefined || options.once) throw misused();
  await revoke(id, options);
}

const misused = (): SluicegateError =>
  new SluicegateError("usage", "`sluicegate pending` doesn't understand this.", {
    why: "It lists when it is called alone; all else that it does is `clear`, and `revoke` with the id of a standing approval.",
    fix: "See `sluicegate pending --help`.",
  });

/** Ends a standing approval at the gateway that uses it; the store is never changed beside one. */
async function revoke(id: string, { json, ...whereabouts }: PendingOptions): Promise<void> {
  const client = await findGateway(whereabouts);
  if (client === null) throw noGateway();
  const ended = await client.delete(`/v1/standing-approvals/${encodeURIComponent(id)}`, parseStanding);
  if (json) printJson(ended);
  else printLine(styled("green", "revoked"), `: ${ended.words}`);
}

/** Denies what nobody waits for any more, as far as the gateway that held the calls knows. */
async function clear({ json, ...whereabouts }: PendingOptions): Promise<void> {
  const client = await findGateway(whereabouts);
  if (client === null) throw noGateway();
  const denied = await client.ask("/v1/approvals/deny-departed", parseDenied, { via: "terminal" });
  if (json) printJson({ denied });
  else printLine(clearedWords(denied.length), ".");
}

const noGateway = (): SluicegateError =>
  new SluicegateError("not-ready", "No gateway runs that has this store.", {
    why: "A standing approval is revoked by the gateway that uses it, and only the one that held a call knows that its caller has gone.",
    fix: "Start it with `sluicegate serve`, or name it with `--url`.",
  });

async function show({ once, json, ...whereabouts }: PendingOptions): Promise<void> {
  const source = await openApprovals(whereabouts);
  try {
    const { stdin: input, stdout: output } = process;
    const isLive = !once && input.isTTY && output.isTTY && process.env.TERM !== "dumb";
    if (json)
      printJson({
        approvals: await source.pending(),
        standing_approvals: await source.standing(),
        appeals: await source.appeals(),
      });
    else if (!isLive) {
      print(source.place, await source.pending());
      printLines(standingLines(await source.standing(), new Date()));
      printLines(appealLines(await source.appeals()));
    } else {
      const { promptPending } = await import("./pending-prompt.ts");
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
    printLine(
      styled("yellow", expiryWords(expires_at, new Date())),
      `  ${[behindWords(approval), callerWords(approval)].filter(Boolean).join("  ")}`,
    );
    printLine(
      "  ",
      styled("bold", `sluicegate approve ${id}`),
      "  or  ",
      styled("bold", `sluicegate deny ${id}`),
    );
  }
}
