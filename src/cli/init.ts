/** `sluicegate init`: from the MCP configurations that a person's agents have to a policy, with a reason for each guess. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { classifyServer } from "../classify/index.ts";
import { describeCommand } from "./command-help.ts";
import { assertUsable, selectUsable } from "./init/check-proposed.ts";
import { findServers } from "./init/find-servers.ts";
import { type GatheredServer, gatherServers } from "./init/gather-servers.ts";
import type { Listed } from "./init/list-tools.ts";
import { type ProposedServer, policyText } from "./init/policy-text.ts";
import { type Outcome, printOutcome, toWire, type Variable } from "./init/report.ts";
import { askServers, startLine, textsOf, valuesFor } from "./init/start-servers.ts";
import { variablesIn } from "./init/variables.ts";
import { alreadyThere, writeNew } from "./init/write-new.ts";
import { answerNo, complain, printJson, printLine, toned } from "./terminal.ts";

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
    does: "Finds the MCP servers that your agents are configured with (Claude Code, Claude Desktop, Cursor, VS Code), lists their tools, and writes a policy for them: what is known or likely is declared, what is doubtful on the safe side, and what nobody can tell is left out, so that it is withheld. Secrets are left where they are; the policy names variables for them.",
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
    json: "print { file, servers, variables, notes, next } as one JSON document",
  })
    .option("--home <folder>", "the home to look in", homedir())
    .option("--from <file...>", "these configurations alone")
    .option("--out <file>", "the policy to write", "sluicegate.yaml")
    .option("--no-start", "start no server: only what packs know is declared")
    .option("--yes", "start the servers without asking")
    .option("--force", "replace the file that is there")
    .action(init);
}

async function init(options: InitOptions): Promise<void> {
  const file = resolve(options.out);
  if (existsSync(file) && !options.force) throw alreadyThere(options.out);
  const found = await findServers(
    { home: resolve(options.home), folder: process.cwd() },
    options.from ?? null,
  );
  const { servers, notes } = await selectUsable(gatherServers(found.servers, process.env), file);
  const allNotes = [...found.notes, ...notes];
  if (servers.length === 0) return tellNothingFound(allNotes, options);
  const wasAsked = await mayStart(servers, options);
  if (wasAsked && !options.json)
    complain(toned("dim", `Starting them; a package that has to be fetched takes its time.`));
  const listed = wasAsked ? await askServers(servers, process.env, file) : new Map<string, Listed>();
  const proposed = servers.map((server) => propose(server, listed.get(server.id)));
  const variables = variablesOf(servers, found.inputs);
  const text = policyText(proposed, headOf(found.files));
  await assertUsable(
    text,
    file,
    variables.map(({ name }) => name),
  );
  await writeNew(file, text, options.force === true);
  const outcome: Outcome = { file, servers: proposed, variables, notes: allNotes };
  if (options.json) printJson(toWire(outcome));
  else printOutcome(outcome);
}

function tellNothingFound(notes: readonly string[], { json }: InitOptions): void {
  answerNo();
  if (json) {
    printJson({ file: null, servers: [], variables: [], notes });
    return;
  }
  for (const note of notes) printLine(toned("yellow", "note: "), note);
  printLine("No MCP server was found, so nothing was written.");
  printLine("Name a configuration with `--from FILE`, or another home with `--home`.");
}

/** Whether the servers may be started: a person says so, or `--yes` has. */
async function mayStart(
  servers: readonly GatheredServer[],
  { start, yes, json }: InitOptions,
): Promise<boolean> {
  if (!start) return false;
  if (yes) return true;
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) {
    complain(
      "Nobody is there to be asked, so no server is started. With `--yes` they are, and their tools are listed.",
    );
    return false;
  }
  printLine("To list their tools, these are started, as your agents do:");
  for (const server of servers) {
    printLine("  ", toned("bold", server.id), `  of ${server.places.join(", ")}`);
    printLine("    ", startLine(server, process.env));
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
  return { server, proposal: { ...proposal, tools: new Map() }, problem: listed.reason, wasAsked: true };
}

function variablesOf(
  servers: readonly GatheredServer[],
  inputs: ReadonlyMap<string, string>,
): readonly Variable[] {
  const variables = new Map<string, Variable>();
  for (const server of servers) {
    const values = valuesFor(server, process.env);
    for (const name of textsOf(server).flatMap(variablesIn)) {
      const hidden = server.hidden.find((one) => one.name === name);
      const wanted = hidden ? values.get(name) : process.env[name];
      const where = hidden
        ? `${hidden.where} of \`${server.names[0]}\` in ${server.places[0]}`
        : (inputs.get(name) ?? "");
      const isSet = process.env[name] !== undefined && process.env[name] === wanted;
      variables.set(name, { name, where, isSet });
    }
  }
  return [...variables.values()];
}

const headOf = (files: readonly string[]): readonly string[] => [
  "A policy that `sluicegate init` proposed. Why stands above each tool, or above several that it holds for.",
  "Look at what is DOUBTFUL first, and raise the level of what is more sensitive than it was taken for.",
  ...files.map((file) => `Made from ${file}`),
];
