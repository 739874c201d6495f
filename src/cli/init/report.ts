/** What `sluicegate init` has done, in words and as JSON. */

import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type Proposal, toProposedDeclaration } from "../../onboarding/index.ts";
import { isWritten, type ProposedServer } from "../../onboarding/propose/policy-text.ts";
import type { ValuePlace, Variable } from "../../onboarding/secrets/needed-variables.ts";
import { askAboutFile } from "../../providers/workspace/git/git.ts";
import { findRepository } from "../../providers/workspace/git/repository.ts";
import { inShell, ownCommand } from "../terminal/own-command.ts";
import { printLine, printTable, shorten, styled } from "../terminal/terminal.ts";

/** The env file beside the policy. */
interface KeptSecrets {
  readonly file: string;
  /** What to do so that git leaves it out; null where nothing is. */
  readonly ignore: string | null;
}

interface Outcome {
  readonly file: string;
  readonly servers: readonly ProposedServer[];
  readonly variables: readonly Variable[];
  /** Null where none is needed. */
  readonly env: KeptSecrets | null;
  readonly notes: readonly string[];
}

export function printOutcome(outcome: Outcome): void {
  printLine(styled("bold", "Servers"));
  printTable(
    outcome.servers.map((one) => [styled("bold", shorten(one.server.id)), originWords(one), countWords(one)]),
  );
  for (const one of outcome.servers) printDoubts(one);
  for (const note of outcome.notes) printLine(styled("yellow", "note: "), note);
  printVariables(outcome);
  printLine();
  printLine(styled("green", "written"), `: ${outcome.file}`);
  printNext(outcome);
}

function originWords({ proposal, problem, wasAsked }: ProposedServer): string {
  if (problem !== null) return `didn't start: ${shorten(problem)}`;
  if (proposal.pack !== null) return `known as ${proposal.pack}`;
  return wasAsked ? "not known, guessed" : "not known, not started";
}

function countWords({ proposal }: ProposedServer): string {
  const tools = [...proposal.tools];
  const withheld = tools.filter(([name, one]) => !isWritten(name, one)).length;
  const of = (confidence: Proposal["confidence"]): number =>
    tools.filter(([name, one]) => isWritten(name, one) && one.confidence === confidence).length;
  const counts: readonly (readonly [number, string])[] = [
    [of("known"), "known"],
    [of("likely"), "likely"],
    [of("doubtful"), "doubtful"],
    [withheld, "withheld"],
  ];
  const said = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return said.length === 0 ? "no tools" : said.join(", ");
}

const MAX_DOUBTS = 8;

function printDoubts({ server, proposal }: ProposedServer): void {
  const doubts = [...proposal.tools].filter(
    ([name, one]) => one.confidence === "doubtful" || !isWritten(name, one),
  );
  if (doubts.length === 0) return;
  printLine();
  printLine("Look at these of ", styled("bold", shorten(server.id)), ":");
  for (const [name, one] of doubts.slice(0, MAX_DOUBTS)) {
    const mark = isWritten(name, one) ? styled("yellow", "doubtful") : styled("red", "withheld");
    printLine("  ", mark, `  ${shorten(name)}: ${one.reasons.join(" ")}`);
  }
  if (doubts.length > MAX_DOUBTS)
    printLine(`  and ${doubts.length - MAX_DOUBTS} more; the file says why of each.`);
}

const HEADINGS: readonly (readonly [ValuePlace, string])[] = [
  ["found", "Taken out of the configurations, and written there:"],
  ["env-file", "There already, and left as they are:"],
  ["environment", "Set in this environment, and nowhere else:"],
  ["open", "TO FILL IN there; until then the servers get nothing for them:"],
];

function printVariables({ variables, env }: Outcome): void {
  if (variables.length > 0) {
    printLine();
    printLine(styled("bold", "Variables"), env === null ? "" : `, which ${env.file} holds for you alone`);
  }
  for (const [place, heading] of HEADINGS) {
    const own = variables.filter((one) => one.place === place);
    if (own.length === 0) continue;
    printLine(place === "open" ? styled("yellow", heading) : heading);
    printTable(own.map((one) => [styled("bold", one.name), whereWords(one)]));
  }
  if (env === null) return;
  if (variables.some(({ place }) => place === "open"))
    printLine(
      "Then run it again with `--force`, before you change the policy: some servers list no tools without.",
    );
  printLine("That file must not be committed.", env.ignore === null ? "" : " Keep git from it:");
  if (env.ignore !== null) printLine("  ", styled("bold", env.ignore));
}

const whereWords = ({ where, isUnwritable }: Variable): string =>
  isUnwritable ? `${where}; no env file can hold its value, so set it in the environment` : where;

function printNext({ file }: Outcome): void {
  printLine();
  printLine("Next:");
  printLine("  1. Read it; then `", styled("bold", `sluicegate check ${inShell(file)}`), "`.");
  printLine("  2. Give your agents the gateway in place of the servers:");
  printLine("     ", JSON.stringify(agentEntry(file)));
  const command = [...ownCommand(), "mcp", "--config", file].map(inShell).join(" ");
  printLine("     Claude Code: ", styled("bold", `claude mcp add sluicegate -- ${command}`));
  printLine(
    "  3. Take the servers out of the agents' own configurations: what stays there goes past the gateway.",
  );
  printLine(
    "  4. To answer approvals in a browser: `",
    styled("bold", `sluicegate serve --config ${inShell(file)}`),
    "` has the console.",
  );
}

function agentEntry(file: string): object {
  const [command, ...args] = ownCommand();
  return { mcpServers: { sluicegate: { command, args: [...args, "mcp", "--config", file] } } };
}

export function toWire({ file, servers, variables, env, notes }: Outcome): object {
  return {
    file,
    env,
    servers: servers.map(({ server, proposal, problem, wasAsked }) => ({
      id: server.id,
      names: server.names,
      from: server.places,
      pack: proposal.pack,
      started: wasAsked && problem === null,
      problem,
      notes: proposal.notes,
      tools: [...proposal.tools].map(([name, one]) => toWireProposal(name, one)),
    })),
    variables: variables.map(({ name, where, place }) => ({ name, where, place, is_set: place !== "open" })),
    notes,
    next: agentEntry(file),
  };
}

/** A proposal for JSON; `declaration` is null where the tool is withheld. */
const toWireProposal = (name: string, proposal: Proposal): object => ({
  name,
  confidence: proposal.confidence,
  declaration: isWritten(name, proposal) ? toProposedDeclaration(proposal) : null,
  reasons: proposal.reasons,
});

/** What a person has to do so that a file isn't committed; null where git leaves it out already, or there is no git. */
export async function howToIgnore(path: string): Promise<string | null> {
  const folder = await realpath(dirname(path));
  const repository = await findRepository(folder);
  if (repository === null) return null;
  const name = join(relative(repository.top, folder), basename(path));
  const { answer } = await askAboutFile(repository, name);
  if (answer === "ignored") return null;
  const pattern = `/${basename(path).replaceAll(/[\\*?[\] ]/g, (mark) => `\\${mark}`)}`;
  const ignore = `printf '\\n%s\\n' ${inShell(pattern)} >> ${inShell(join(dirname(path), ".gitignore"))}`;
  if (answer !== "tracked") return ignore;
  return `git -C ${inShell(dirname(path))} rm --cached -- ${inShell(basename(path))} && ${ignore}`;
}
