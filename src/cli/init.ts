/** `sluicegate init`: from the MCP configurations that a person's agents have to a policy, with a reason for each guess. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { classifyServer } from "../onboarding/index.ts";
import { envFileOf, parseEnvText } from "../policy-file/document/env-file.ts";
import { withoutBorrowers } from "./init/borrowed-secrets.ts";
import { assertUsable, selectUsable } from "./init/check-proposed.ts";
import { withEntries } from "./init/env-text.ts";
import { findServers } from "./init/find-servers.ts";
import { type GatheredServer, gatherServers } from "./init/gather-servers.ts";
import { findEnvFile, howToIgnore, writeEnvFile } from "./init/keep-secrets.ts";
import type { Listed } from "./init/list-tools.ts";
import { entriesOf, neededVariables, STAND_IN, type Variable } from "./init/needed-variables.ts";
import { type ProposedServer, policyText } from "./init/policy-text.ts";
import { type Outcome, printOutcome, toWire } from "./init/report.ts";
import { askServers, lentTo, startLine } from "./init/start-servers.ts";
import { alreadyThere, writeNew } from "./init/write-new.ts";
import { describeCommand } from "./terminal/command-help.ts";
import { answerNo, printError, printJson, printLine, styled } from "./terminal/terminal.ts";
import { toVisible } from "./terminal/visible-text.ts";

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

/** Sets the command up. */
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
  if (existsSync(file) && !options.force) throw alreadyThere(options.out);
  const envPath = envFileOf(file);
  const envFile = await findEnvFile(envPath);
  const kept = envFile?.values ?? new Map<string, string>();
  const found = await findServers(
    { home: resolve(options.home), folder: process.cwd() },
    options.from ?? null,
  );
  const gathered = gatherServers(found.servers, process.env, options.force ? new Map() : valuesIn(kept));
  const known = { inputs: found.inputs, envFile };
  const apart = withoutBorrowers(gathered, envFile);
  const { servers, notes, standIns } = await selectUsable(
    apart.servers,
    file,
    new Map([...kept, ...foundIn(neededVariables(apart.servers, known))]),
  );
  const allNotes = [...found.notes, ...apart.notes, ...notes];
  if (servers.length === 0) return tellNothingFound(allNotes, options);
  const filledIn = [...kept].filter(([, value]) => value !== "" && value !== STAND_IN);
  const environment = { ...Object.fromEntries(filledIn), ...process.env };
  const wasAsked = await mayStart(servers, environment, options);
  if (wasAsked && !options.json)
    printError(styled("dim", `Starting them; a package that has to be fetched takes its time.`));
  const listed = wasAsked ? await askServers(servers, environment, file) : new Map<string, Listed>();
  const proposed = servers.map((server) => propose(server, listed.get(server.id)));
  const variables = neededVariables(servers, known);
  const text = policyText(proposed, headOf(found.files));
  const entries = entriesOf(variables, standIns);
  const before = envFile?.text ?? (entries.length > 0 ? headOfEnv(file) : "");
  const envText = withEntries(before, entries, options.force === true);
  await assertUsable(text, file, parseEnvText(envText));
  // First, since without the policy it does no harm.
  await writeEnvFile(envPath, envText, envFile);
  await writeNew(file, text, options.force === true);
  const isThere = envFile !== null || entries.length > 0;
  const env = isThere ? { file: envPath, ignore: await howToIgnore(envPath) } : null;
  const outcome: Outcome = { file, servers: proposed, variables, env, notes: allNotes };
  if (options.json) printJson(toWire(outcome));
  else printOutcome(outcome);
}

function tellNothingFound(notes: readonly string[], { json }: InitOptions): void {
  answerNo();
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
  environment: Readonly<Record<string, string | undefined>>,
  { start, yes, json }: InitOptions,
): Promise<boolean> {
  if (!start) return false;
  if (yes) return true;
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) {
    printError(
      "Nobody is there to be asked, so no server is started. With `--yes` they are, and their tools are listed.",
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

function propose(server: GatheredServer, listed: Listed | undefined): ProposedServer {
  const tools = listed?.kind === "tools" ? listed.tools : null;
  const proposal = classifyServer({ transport: server.transport, tools });
  if (listed?.kind !== "failed") return { server, proposal, problem: null, wasAsked: listed !== undefined };
  // What a pack knows of it holds whether or not it starts here and now.
  return { server, proposal, problem: listed.reason, wasAsked: true };
}

/** The values that configurations hold. */
const foundIn = (variables: readonly Variable[]): readonly (readonly [string, string])[] =>
  variables.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]));

/** A name without a value is free. */
const valuesIn = (values: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...values].filter(([, value]) => value !== ""));

const headOfEnv = (file: string): string =>
  `# What the variables of ${toVisible(basename(file)).replaceAll(/["'`]/g, "")} stand for. Secrets: keep it out of git.\n`;

const headOf = (files: readonly string[]): readonly string[] => [
  "A policy that `sluicegate init` proposed. Why stands above each tool, or above several that it holds for.",
  "Look at what is DOUBTFUL first, and raise the level of what is more sensitive than it was taken for.",
  ...files.map((file) => `Made from ${file}`),
];
