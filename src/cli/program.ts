/** The program: finds the command, loads it alone, runs it, and turns what is thrown into words and a status. */
import { Command } from "commander";
import { COMMANDS } from "./commands.ts";
import { reportFailure } from "./terminal/failure.ts";
import { endWithReader, printLine, printTable, styled } from "./terminal/terminal.ts";
import { packageVersion } from "./version.ts";

const ABOUT = "Sluicegate decides, call by call, what an AI agent's tools may do.";

/** Runs the command line with its arguments. Never throws; what happened is in the exit status. */
export async function run(args: readonly string[]): Promise<void> {
  endWithReader(COMMANDS.some(({ name, lasting }) => name === args[0] && lasting === true));
  try {
    if (args.length === 0) printOverview();
    else await parse(normalise(args));
  } catch (error) {
    reportFailure(error, args);
  }
}

async function parse(args: readonly string[]): Promise<void> {
  const program = await createProgram(args);
  await program.parseAsync([...args], { from: "user" });
}

/** `help X` as `X --help`; a name that is no command stands alone, so that it is told and no help hides it. */
function normalise(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  if (first === "help") return rest.length > 0 ? normalise([...rest, "--help"]) : ["--help"];
  const known = first.startsWith("-") || COMMANDS.some(({ name }) => name === first);
  return known ? args : [first];
}

async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command("sluicegate")
    .description(ABOUT)
    .usage("COMMAND [options]")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this")
    .helpCommand("help [command]", "explain a command")
    .exitOverride()
    // What is wrong is said in one place, `failure.ts`.
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .addHelpText("after", `\nFirst thing to try:\n  ${FIRST}`);
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).summary(summary);
    if (name === args[0]) (await load()).setUp(command);
  }
  return program;
}

const FIRST = "sluicegate check sluicegate.yaml";

function printOverview(): void {
  printLine(ABOUT);
  printLine();
  printLine("First thing to try, in a folder with a policy:");
  printLine("  ", styled("bold", FIRST));
  printLine();
  printLine("Commands:");
  printTable(COMMANDS.map(({ name, summary }) => [styled("bold", name), summary]));
  printLine();
  printLine("`sluicegate help COMMAND` explains one, with examples.");
}
