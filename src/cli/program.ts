/** The program: finds the command, loads it alone, runs it, and turns what is thrown into words and a status. */
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { COMMANDS } from "./commands.ts";
import { reportFailure } from "./failure.ts";
import { endWithReader, printLine, printTable, toned } from "./terminal.ts";

const ABOUT = "Sluicegate decides, call by call, what an AI agent's tools may do.";

/** Runs the command line with its arguments. Never throws; what happened is in the exit status. */
export async function run(args: readonly string[]): Promise<void> {
  endWithReader();
  try {
    if (args.length === 0) printOverview();
    else await (await createProgram(args)).parseAsync([...args], { from: "user" });
  } catch (error) {
    reportFailure(error, args);
  }
}

async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command("sluicegate")
    .description(ABOUT)
    .usage("COMMAND [options]")
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "explain a command")
    .helpCommand("help [command]", "explain a command")
    .exitOverride()
    // What is wrong is said in one place, `failure.ts`.
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .addHelpText("after", `\nFirst thing to try:\n  ${FIRST}`);
  // The command is the first operand, or the second after `help`.
  const named = args.filter((argument) => !argument.startsWith("-")).slice(0, 2);
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).summary(summary);
    if (named.includes(name)) (await load()).setUp(command);
  }
  return program;
}

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const version: unknown = Reflect.get(Object(JSON.parse(text)), "version");
  return typeof version === "string" ? version : "unknown";
}

const FIRST = "sluicegate check sluicegate.yaml";

function printOverview(): void {
  printLine(ABOUT);
  printLine();
  printLine("First thing to try, in a folder with a policy:");
  printLine("  ", toned("bold", FIRST));
  printLine();
  printLine("Commands:");
  printTable(COMMANDS.map(({ name, summary }) => [toned("bold", name), summary]));
  printLine();
  printLine("`sluicegate help COMMAND` explains one, with examples.");
}
