/** `sluicegate unfreeze ID`: lets frozen calls go on. */
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { addWhereabouts } from "../approvals/pending.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printJson, printLine, shorten, styled } from "../terminal/terminal.ts";
import type { Whereabouts } from "../wiring/gateway-client.ts";

interface UnfreezeOptions extends Whereabouts {
  readonly all?: true;
  readonly json?: true;
}

export function setUp(command: Command): void {
  const described = describeCommand(command, {
    does: "Ends a freeze. What it stopped is decided again as ever; calls that it ended are not run by themselves.",
    examples: ["sluicegate unfreeze frz_5f0c…", "sluicegate unfreeze --all"],
    exits: { 0: "ended", 2: "wrong usage, or a policy, a store or a gateway that can't be used" },
    json: "print { freezes }, those that have ended, as one JSON document",
  });
  addWhereabouts(described)
    .argument("[id]", "the freeze; `sluicegate freeze --list` lists them")
    .option("--all", "end all of them")
    .action(unfreeze);
}

async function unfreeze(id: string | undefined, { all, json, ...options }: UnfreezeOptions): Promise<void> {
  if ((id === undefined) !== (all === true)) throw misused();
  const { describeTarget, openFreezes } = await import("./freeze-source.ts");
  const source = await openFreezes(options);
  try {
    const ids = id === undefined ? (await source.list()).map((freeze) => freeze.id) : [id];
    const ended = [];
    for (const one of ids) ended.push(await source.end(one));
    if (json) return printJson({ freezes: ended });
    if (ended.length === 0) printLine("Nothing is frozen.");
    for (const one of ended) printLine(styled("green", "unfrozen"), `: ${shorten(describeTarget(one))}`);
  } finally {
    await source.close();
  }
}

const misused = (): SluicegateError =>
  new SluicegateError("usage", "`sluicegate unfreeze` doesn't understand this.", {
    why: "It takes the id of one freeze, or `--all`.",
    fix: "See `sluicegate freeze --list`.",
  });
