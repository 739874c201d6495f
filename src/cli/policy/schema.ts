/** `sluicegate schema`: the JSON Schema of `sluicegate.yaml`. */
import type { Command } from "commander";
import { policyJsonSchema } from "../../policy-file/index.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { printJson } from "../terminal/terminal.ts";

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Prints the JSON Schema of the policy file, so that an editor completes keys and marks mistakes while you type.",
    examples: [
      "sluicegate schema > sluicegate.schema.json",
      "# then, as the first line of sluicegate.yaml:",
      "# yaml-language-server: $schema=./sluicegate.schema.json",
    ],
    exits: { 0: "printed", 2: "wrong usage" },
    json: "the same: the schema is one JSON document",
  }).action(() => printJson(policyJsonSchema()));
}
