/** `sluicegate plan`: whether planned calls meet a block in their order, and which order doesn't. */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { checkPlan, type PlanCheck, type PlannedCall, visibleTools } from "../../core/index.ts";
import { SluicegateError } from "../../errors/index.ts";
import { toWirePlan } from "../../gateway/rest/wire.ts";
import { loadConfig } from "../../policy-file/index.ts";
import { describeCommand, POLICY_BROKEN } from "../terminal/command-help.ts";
import { exitWithFailure, printJson, printLine, printTable, shorten, styled } from "../terminal/terminal.ts";
import { openOnPaper, withSources } from "./paper-session.ts";
import { parseSteps } from "./parse-arguments.ts";

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Checks planned calls in their order, as an agent's `validate-plan` does: which would be refused, and a safe order where there is one. Steps count from 0; nothing is run.",
    examples: [
      "sluicegate plan sluicegate.yaml search_email web_search github_create_pr",
      "sluicegate plan sluicegate.yaml --steps plan.json --role analyst",
      `echo '[{"id":"read","tool":"search_docs"},{"tool":"slack_post","after":["read"]}]' | sluicegate plan sluicegate.yaml --steps -`,
    ],
    exits: { 0: "the plan meets no block", 1: "it does", 2: POLICY_BROKEN },
    json: "print { valid, violations, safe_ordering, approvals, questions, fewest_questions, in_the_way, ways_out, steps } as one JSON document",
  })
    .argument("<file>", "the policy file, usually sluicegate.yaml")
    .argument("[tools...]", "the tools to call, in this order")
    .option("--role <name>", "the session's role")
    .option("--task <text>", "what the user asked for; what it names needs no person")
    .option(
      "--steps <file>",
      "the plan as a JSON list of names or { id, tool, arguments, after }; - reads it from the input",
    )
    .action((file: string, tools: readonly string[], options: PlanOptions) => plan(file, tools, options));
}

interface PlanOptions {
  readonly role?: string;
  readonly task?: string;
  readonly steps?: string;
  readonly json?: true;
}

async function plan(file: string, tools: readonly string[], options: PlanOptions): Promise<void> {
  const calls = await readCalls(tools, options.steps);
  const config = await loadConfig(file);
  const { policy } = config;
  const { state, compared } = openOnPaper(policy, options);
  const planned = calls.map((call) => compared(typeof call === "string" ? { tool: call } : call));
  const checked = checkPlan(policy, state, await withSources(config, planned));
  if (!checked.valid) exitWithFailure();
  if (options.json) printJson(toWirePlan(checked, { state, tools: visibleTools(policy, state) }));
  else printPlan(checked, calls.length);
}

async function readCalls(
  tools: readonly string[],
  steps: string | undefined,
): Promise<readonly PlannedCall[]> {
  if (tools.length > 0 !== (steps === undefined)) {
    throw new SluicegateError(
      "usage",
      tools.length > 0 ? "The plan is given twice." : "There is no plan to check.",
      {
        why: "A plan is either a list of tools after the policy file, or the file that `--steps` names.",
        fix: "Give one of them, as in `sluicegate plan sluicegate.yaml search_email web_search`.",
      },
    );
  }
  return steps === undefined ? tools : parseSteps(await readSteps(steps));
}

async function readSteps(file: string): Promise<string> {
  if (file === "-") return text(process.stdin);
  return readFile(file, "utf8").catch((cause: unknown) => {
    throw new SluicegateError("usage", `The plan \`${file}\` can't be read.`, {
      why: cause instanceof Error ? `${cause.message}.` : "The system gives no reason.",
      fix: "Check the path, or use `--steps -` to read the plan from the input.",
      cause,
    });
  });
}

function printPlan(plan: PlanCheck, steps: number): void {
  if (plan.valid) {
    printLine(
      styled("green", "valid"),
      `: ${steps === 1 ? "the step meets" : `the ${steps} steps meet`} no block in this order.`,
    );
  } else {
    const count = plan.violations.length;
    printLine(
      styled("red", "not valid"),
      `: ${count === 1 ? "one step is" : `${count} things are`} in the way. Steps count from 0.`,
    );
    printViolations(plan);
  }
  printApprovals(plan);
  printFewestQuestions(plan);
  if (!plan.valid) printWayOut(plan);
}

function printViolations({ violations }: PlanCheck): void {
  for (const { atStep, tool, code, reason, suggestion } of violations) {
    printLine();
    printLine("  ", styled("bold", `step ${atStep}`), "  ", shorten(tool), "  ", styled("red", code));
    printLine("    why: ", reason);
    printLine("    fix: ", suggestion);
  }
}

function printApprovals({ approvals }: PlanCheck): void {
  if (approvals.length === 0) return;
  printLine();
  printLine("A person is asked here; the check takes it as approved:");
  printTable(
    approvals.map(({ atStep, tool, reason }) => [styled("bold", `step ${atStep}`), shorten(tool), reason]),
  );
}

function printFewestQuestions({ fewestQuestions, questionsSaved: saved, valid }: PlanCheck): void {
  if (fewestQuestions === undefined || !valid) return;
  const what = saved === 1 ? "This order saves one question: " : `This order saves ${saved} questions: `;
  printLine(what, styled("green", fewestQuestions.map(shorten).join(", ")));
}

function printWayOut({ safeOrdering, inTheWay, waysOut }: PlanCheck): void {
  printLine();
  if (safeOrdering !== null && safeOrdering !== "undetermined") {
    printLine("Safe order: ", styled("green", safeOrdering.map(shorten).join(", ")));
    return;
  }
  printLine(
    safeOrdering === null ? "No order of these steps is safe." : "No safe order was found.",
    inTheWay.length > 0 ? ` In the way: ${inTheWay.map(shorten).join(", ")}.` : "",
  );
  for (const way of waysOut) printLine("  - ", way);
}
