/** `sluicegate doctor`: shows by trying that what is set up here works. */
import type { Command } from "commander";
import { describeCommand } from "../terminal/command-help.ts";
import { exitWithFailure, type Part, printJson, printLine, shorten, styled } from "../terminal/terminal.ts";
import type { Whereabouts } from "../wiring/gateway-client.ts";
import { STORE_OPTION } from "../wiring/store-file.ts";
import type { Finding } from "./checks.ts";

interface DoctorOptions extends Whereabouts {
  readonly start: boolean;
  readonly json?: true;
}

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Shows by trying that what is set up here works: the policy loads, a call that must be denied is denied, the agent's hook answers, the servers start, the store, the secrets and the clock are well. Says what to do about whatever isn't. Starts the policy's servers once; changes nothing but a session of the hook's store.",
    examples: ["sluicegate doctor", "sluicegate doctor --config examples/office/sluicegate.yaml --no-start"],
    exits: { 0: "nothing failed", 1: "something failed", 2: "wrong usage" },
    json: "print { ok, checks } as one JSON document",
  })
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .option("--store <store>", STORE_OPTION)
    .option("--url <url>", "the gateway; by default http://127.0.0.1:7311, if it runs")
    .option("--no-start", "start no server")
    .action(doctor);
}

const MARKS: Readonly<Record<Finding["result"], Part>> = {
  ok: styled("green", "ok     "),
  warning: styled("yellow", "warning"),
  failed: styled("red", "failed "),
  skipped: styled("dim", "skipped"),
};

async function doctor({ start, json, ...options }: DoctorOptions): Promise<void> {
  const { runChecks } = await import("./checks.ts");
  const found: Finding[] = [];
  for await (const finding of runChecks({ ...options, startsServers: start })) {
    found.push(finding);
    if (json) continue;
    const { check, result, note, fix } = finding;
    printLine("  ", MARKS[result], "  ", check.padEnd(10), shorten(note));
    if (fix !== undefined) printLine(" ".repeat(21), styled("dim", "fix: "), shorten(fix));
  }
  const ok = found.every(({ result }) => result !== "failed");
  if (!ok) exitWithFailure();
  if (json) printJson({ ok, checks: found });
}
