/** A failure as words, as a JSON document and as an exit status. */
import { CommanderError } from "commander";
import { SluicegateError } from "../../errors/index.ts";
import { problemsOf } from "../../policy-file/internal.ts";
import { COMMANDS } from "../commands.ts";
import { isNpmStart, OTHER_PORT } from "./command-help.ts";
import { printError, printJson, printProblems, styled } from "./terminal.ts";

/** Prints an error and sets the exit status: on standard error in words, or with `--json` as a document. */
export function reportFailure(error: unknown, args: readonly string[]): void {
  const failure = toFailure(error, args);
  if (failure === null) return;
  process.exitCode = failure.mapping.exit;
  const { code, message, why, fix } = failure;
  if (wantsJson(args)) {
    printJson({ error: { code, message, why, fix } });
    return;
  }
  const problems = problemsOf(failure);
  if (problems.length > 0) printProblems(problems, printError);
  else printError(styled("red", "error: "), message);
  printError("  why: ", why);
  printError("  fix: ", fix);
}

/** Whether the arguments ask for JSON; what follows `--` is no option. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

/** The error to tell, or null for help and version, which are answers. */
function toFailure(error: unknown, args: readonly string[]): SluicegateError | null {
  if (SluicegateError.isInstance(error)) return error;
  if (error instanceof CommanderError) return error.exitCode === 0 ? null : toUsageError(error, args);
  return new SluicegateError("internal", "Something went wrong inside Sluicegate.", {
    why: error instanceof Error ? `${error.name}: ${error.message}` : "A value was thrown that is no error.",
    fix: "Report it with the command that you ran; nothing was changed.",
    cause: error,
  });
}

// What commander calls an error, and what is said of it.
const REASONS: ReadonlyMap<string, string> = new Map([
  ["commander.help", "It only groups others, and does nothing by itself."],
  ["commander.missingArgument", "The command has nothing to work on without it."],
  ["commander.missingMandatoryOptionValue", "The command has nothing to work on without it."],
  ["commander.optionMissingArgument", "This option is followed by a value."],
  ["commander.excessArguments", "The command takes fewer; a value with spaces must stand in quotes."],
]);

function toUsageError(error: CommanderError, args: readonly string[]): SluicegateError {
  const [said = "", suggested = ""] = error.message.replace(/^error: /, "").split("\n");
  const near = /^\(Did you mean (.+)\?\)$/.exec(suggested)?.[1];
  const path = commandPath(args);
  const bare = said.replace(/\.$/, "").replace(/'(.*)'/, "`$1`");
  const message =
    error.code === "commander.help"
      ? `\`${path}\` needs a command after it.`
      : `${bare.charAt(0).toUpperCase()}${bare.slice(1)}.`;
  const why = REASONS.get(error.code) ?? `\`${path}\` has nothing of that name.`;
  if (error.code === "commander.excessArguments" && isNpmStart())
    return new SluicegateError("usage", message, { why: NPM_KEEPS_OPTIONS, fix: `Write \`${OTHER_PORT}\`.` });
  return new SluicegateError("usage", message, {
    why,
    fix: `${near === undefined ? "" : `Did you mean \`${near}\`? `}See \`${path} --help\`.`,
  });
}

const NPM_KEEPS_OPTIONS = "npm passes options on only after `--`.";

/** The command whose help says more: `sluicegate`, or with the commands that the arguments begin with. */
function commandPath(args: readonly string[]): string {
  const [first, second] = args;
  if (!COMMANDS.some(({ name }) => name === first)) return "sluicegate";
  const nested = GROUPS.get(first ?? "")?.has(second ?? "") === true;
  return nested ? `sluicegate ${first} ${second}` : `sluicegate ${first}`;
}

/** The commands that group others. */
const GROUPS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["journal", new Set(["show", "verify", "export"])],
  ["hook", new Set(["claude-code", "install", "remove"])],
]);
