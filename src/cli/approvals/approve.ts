/** `sluicegate approve ID`: a person's yes to one call that waits. */
import type { Command } from "commander";
import { ANSWER_EXITS, describeCommand } from "../terminal/command-help.ts";
import { type AnswerOptions, answerById } from "./answer.ts";
import { addWhereabouts } from "./pending.ts";

export function setUp(command: Command): void {
  const described = describeCommand(command, {
    does: "Approves one pending call, and prints it. The call may run once, exactly so; nothing else may. It asks nothing more: look at it first, with `sluicegate pending`.",
    examples: [
      "sluicegate approve appr_5f0c…",
      'sluicegate approve appr_5f0c… --why "agreed with finance"',
      "sluicegate approve appr_5f0c… --url http://127.0.0.1:7311 --json",
    ],
    exits: ANSWER_EXITS,
    json: "print { id, session_id, status, answered_by, via, ended_at, approval } as one JSON document",
  });
  addWhereabouts(described)
    .argument("<id>", "the approval; `sluicegate pending` lists them")
    .option("--why <words>", "why, for the journal")
    .action((id: string, options: AnswerOptions) => answerById(id, "approved", options));
}
