/** `sluicegate reload`: has the running gateway read its policy file again. */
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { propertyOf, textIn } from "../../json/plain-data.ts";
import { addWhereabouts } from "../approvals/pending.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printJson, printLine, shorten, styled } from "../terminal/terminal.ts";
import { findGateway, type Whereabouts } from "../wiring/gateway-client.ts";

interface ReloadOptions extends Whereabouts {
  readonly allowWidening?: true;
  readonly json?: true;
}

export function setUp(command: Command): void {
  const described = describeCommand(command, {
    does: "Has the running gateway read its policy file again. The whole file is checked first; a broken one leaves the policy in force as it is, and so does one that may allow more, unless you say that this is meant. Sessions keep their labels; calls that wait for a person are asked for again.",
    examples: [
      "sluicegate reload",
      "sluicegate reload --allow-widening",
      "sluicegate reload --url http://127.0.0.1:7311",
    ],
    exits: {
      0: "the file's policy is in force",
      1: "it was refused: it may allow more, or needs a restart",
      2: "wrong usage, a broken policy, or no gateway",
    },
    json: "print { version, changed, widens } as one JSON document",
  });
  addWhereabouts(described)
    .option("--allow-widening", "also put a policy in force that allows more than the one before")
    .action(reload);
}

async function reload({ allowWidening, json, ...whereabouts }: ReloadOptions): Promise<void> {
  const client = await findGateway(whereabouts);
  if (client === null) throw noGateway();
  const reloaded = await client.ask("/v1/policy/reload", parseReloaded, {
    ...(allowWidening && { allow_widening: true }),
  });
  if (json) return printJson(reloaded);
  if (!reloaded.changed) return printLine("The policy is unchanged.");
  printLine(styled("green", "reloaded"), `: ${reloaded.version}`);
  for (const sentence of reloaded.widens) printLine(styled("yellow", "  allows more: "), shorten(sentence));
}

interface WireReloaded {
  readonly version: string;
  readonly changed: boolean;
  readonly widens: readonly string[];
}

function parseReloaded(answer: unknown): WireReloaded | null {
  const [version, changed] = [textIn(answer, "version"), propertyOf(answer, "changed")];
  const widens = propertyOf(answer, "widens");
  if (typeof version !== "string" || typeof changed !== "boolean" || !Array.isArray(widens)) return null;
  return { version, changed, widens: widens.map(String) };
}

const noGateway = (): SluicegateError =>
  new SluicegateError("not-ready", "No gateway runs that has this policy.", {
    why: "A policy is reloaded by the gateway that uses it.",
    fix: "Start it with `sluicegate serve`, or name it with `--url`.",
  });
