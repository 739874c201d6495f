/** `sluicegate init`: from the MCP configurations that a person's agents have to a policy, with a reason for each guess. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { lentTo, startLine, toUpstream } from "../../onboarding/configurations/fill-server.ts";
import type { GatheredServer } from "../../onboarding/configurations/gather-servers.ts";
import { type Environment, type Listed, proposePolicy } from "../../onboarding/propose/propose-policy.ts";
import { describeCommand } from "../terminal/command-help.ts";
import { exitWithFailure, printError, printJson, printLine, styled } from "../terminal/terminal.ts";
import { listTools } from "./list-tools.ts";
import { howToIgnore, printOutcome, toWire } from "./report.ts";

interface InitOptions {
  readonly home: string;
  readonly from?: readonly string[];
  readonly out: string;
  /** False with `--no-start`. */
  readonly start: boolean;
  readonly yes?: true;
  readonly force?: true;
  readonly json?: true;
}

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Finds the MCP servers that your agents are configured with (Claude Code, Claude Desktop, Cursor, VS Code), lists their tools, and writes a policy for them: what is known or likely is declared, what is doubtful on the safe side, and what nobody can tell is left out, so that it is withheld. Secrets go into an env file beside it, which only you can read; the policy names variables for them.",
    examples: [
      "sluicegate init",
      "sluicegate init --no-start --out proposed.yaml",
      "sluicegate init --from .mcp.json --yes --json",
    ],
    exits: {
      0: "a policy was written",
      1: "no server was found",
      2: "wrong usage, or the file is there already or can't be written",
    },
    json: "print { file, env, servers, variables, notes, next } as one JSON document",
  })
    .option("--home <folder>", "the home to look in", homedir())
    .option("--from <file...>", "these configurations alone")
    .option("--out <file>", "the policy to write", "sluicegate.yaml")
    .option("--no-start", "start no server: only what packs know is declared")
    .option("--yes", "start the servers without asking")
    .option("--force", "replace the policy that is there, and in its env file what is found again")
    .action(init);
}

async function init(options: InitOptions): Promise<void> {
  const file = resolve(options.out);
  const { servers, variables, envFile, notes } = await proposePolicy({
    home: resolve(options.home),
    folder: process.cwd(),
    from: options.from ?? null,
    file,
    replace: options.force === true,
    list: (found, environment) => list(found, environment, file, options),
  });
  if (servers.length === 0) return tellNothingFound(notes, options);
  const env = envFile === null ? null : { file: envFile, ignore: await howToIgnore(envFile) };
  const outcome = { file, servers, variables, env, notes };
  if (options.json) printJson(toWire(outcome));
  else printOutcome(outcome);
}

/** Starts the servers and asks them for their tools, if that may be; none is asked otherwise. */
async function list(
  servers: readonly GatheredServer[],
  environment: Environment,
  file: string,
  options: InitOptions,
): Promise<ReadonlyMap<string, Listed>> {
  if (!(await mayStart(servers, environment, options))) return new Map();
  if (!options.json)
    printError(styled("dim", `Starting them; a package that has to be fetched takes its time.`));
  const upstreams = servers.map((server) => toUpstream(server, environment, file));
  const failed = servers.flatMap(({ id }, index): [string, Listed][] => {
    const reason = upstreams[index];
    return typeof reason === "string" ? [[id, { kind: "failed", reason }]] : [];
  });
  const listed = await listTools(upstreams.filter((upstream) => typeof upstream !== "string"));
  return new Map([...failed, ...listed]);
}

function tellNothingFound(notes: readonly string[], { json }: InitOptions): void {
  exitWithFailure();
  if (json) {
    printJson({ file: null, env: null, servers: [], variables: [], notes });
    return;
  }
  for (const note of notes) printLine(styled("yellow", "note: "), note);
  printLine("No MCP server was found, so nothing was written.");
  printLine("Name a configuration with `--from FILE`, or another home with `--home`.");
}

/** Whether the servers may be started: a person says so, or `--yes` has. */
async function mayStart(
  servers: readonly GatheredServer[],
  environment: Environment,
  { start, yes, json }: InitOptions,
): Promise<boolean> {
  if (!start) return false;
  if (yes) return true;
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) {
    printError(
      "This is not a terminal, so nobody can be asked, and no server is started. With `--yes` they are started and their tools listed.",
    );
    return false;
  }
  printLine("To list their tools, these are started, as your agents do:");
  for (const server of servers) {
    printLine("  ", styled("bold", server.id), `  of ${server.places.join(", ")}`);
    printLine("    ", startLine(server, environment));
    const lent = lentTo(server, environment);
    if (lent.length > 0) printLine("    ", styled("yellow", `is given your ${lent.join(", ")}`));
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("Start them now? [y/N] ");
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
