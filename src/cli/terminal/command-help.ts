/** What every command's help says, in the same order: what it does, how it is called, what its exit status means. */
import type { Command } from "commander";

export interface CommandHelp {
  /** What the command does, in a sentence or two. */
  readonly does: string;
  /** Calls to copy. */
  readonly examples: readonly string[];
  /** What each exit status means. */
  readonly exits: Readonly<Record<0 | 2, string>> & { readonly 1?: string };
  /** What `--json` prints. */
  readonly json: string;
}

/** Exit status 2 means this for every command that reads a policy. */
export const POLICY_BROKEN = "wrong usage, or a policy that can't be read or used";

/** What the exit status of an answer to an approval means. */
export const ANSWER_EXITS = {
  0: "it was answered so",
  1: "it is over already, by another answer or without one",
  2: "wrong usage, an unknown id, or no gateway or store that can be used",
} as const;

/** Gives a command its help and its `--json`. */
export function describeCommand(command: Command, help: CommandHelp): Command {
  const exits = Object.entries(help.exits).map(([status, meaning]) => `  ${status}  ${meaning}`);
  const examples = help.examples.map((example) => `  ${example}`);
  const after = ["", "Examples:", ...examples, "", "Exit status:", ...exits];
  return command.description(help.does).option("--json", help.json).addHelpText("after", after.join("\n"));
}

/** Whether `npm start` runs this. npm keeps options for itself, and passes their values on as arguments. */
export const isNpmStart = (): boolean => process.env.npm_lifecycle_event === "start";
export const OTHER_PORT = "npm start -- --port 7312";
