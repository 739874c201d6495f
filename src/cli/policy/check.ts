/** `sluicegate check`: lints a policy file. */
import type { Command } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { type Config, loadConfig, type Problem } from "../../policy-file/index.ts";
import { problemsOf } from "../../policy-file/internal.ts";
import { describeCommand } from "../terminal/command-help.ts";
import {
  exitWithFailure,
  printJson,
  printLine,
  printProblems,
  styled,
  toWireProblem,
} from "../terminal/terminal.ts";

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Reads a policy and says everything that is wrong with it, each with its place, and what is allowed but worth a look.",
    examples: ["sluicegate check", "sluicegate check examples/office/sluicegate.yaml --json"],
    exits: {
      0: "the policy can be used (there may be warnings)",
      1: "it can't",
      2: "wrong usage, or no such file",
    },
    json: "print { valid, file, problems, warnings, … } as one JSON document",
  })
    .argument("[file]", "the policy file", "sluicegate.yaml")
    .action((file: string, options: { readonly json?: true }) => check(file, options.json === true));
}

async function check(file: string, json: boolean): Promise<void> {
  const found = await load(file);
  if (Array.isArray(found)) {
    exitWithFailure();
    if (json) printJson({ valid: false, file, problems: found.map(toWireProblem), warnings: [] });
    else printRefusal(file, found);
  } else if (json) {
    printJson(toWire(file, found));
  } else {
    printProblems(found.warnings, printLine, true);
    if (found.warnings.length > 0) printLine();
    printSummary(file, found);
  }
}

async function load(file: string): Promise<Config | Problem[]> {
  try {
    return await loadConfig(file);
  } catch (error) {
    const problems = SluicegateError.isInstance(error) ? problemsOf(error) : [];
    if (problems.length === 0) throw error;
    return [...problems];
  }
}

function printRefusal(file: string, problems: readonly Problem[]): void {
  printProblems(problems, printLine);
  printLine();
  const count = counted(problems.length, "problem");
  printLine(styled("red", "not usable: "), `\`${file}\` has ${count}; nothing of it is in force.`);
}

function printSummary(file: string, { policy, servers, databases, apis, warnings }: Config): void {
  const roles = [...policy.roles.keys()];
  const count = [
    counted(policy.tools.size, "tool"),
    counted(servers.size, "server"),
    ...(databases.size > 0 ? [counted(databases.size, "database")] : []),
    ...(apis.size > 0 ? [counted(apis.size, "API")] : []),
    roles.length === 0 ? "no role" : `${counted(roles.length, "role")} (${roles.join(", ")})`,
  ].join(", ");
  const doubts = warnings.length > 0 ? ` with ${counted(warnings.length, "warning")}` : "";
  printLine(styled("green", "usable"), doubts, `: \`${file}\` has ${count}.`);
  printLine(`Its version is ${policy.version}.`);
}

const counted = (count: number, noun: string): string =>
  `${count === 0 ? "no" : count} ${noun}${count === 1 ? "" : "s"}`;

function toWire(file: string, { policy, servers, databases, apis, warnings }: Config): object {
  return {
    valid: true,
    file,
    problems: [],
    warnings: warnings.map(toWireProblem),
    tools: policy.tools.size,
    servers: servers.size,
    databases: databases.size,
    apis: apis.size,
    roles: [...policy.roles.keys()],
    version: policy.version,
  };
}
