/** `sluicegate classify`: what a policy doesn't say of its servers' tools yet, and where they speak against what it says. */
import type { Command } from "commander";
import { Document, YAMLMap } from "yaml";
import { type Lattice, toToolId, withOffered } from "../../core/index.ts";
import {
  classifyServer,
  disagreements,
  type Proposal,
  toProposedDeclaration,
} from "../../onboarding/index.ts";
import { isWritten, toolsMap } from "../../onboarding/propose/policy-text.ts";
import type { Listed } from "../../onboarding/propose/propose-policy.ts";
import { type Config, loadConfig, type ServerConfig } from "../../policy-file/index.ts";
import { listTools } from "../init/list-tools.ts";
import { describeCommand, POLICY_BROKEN } from "../terminal/command-help.ts";
import { exitWithFailure, printJson, printLine, shorten, styled } from "../terminal/terminal.ts";

/** What is found out about one server. */
interface Review {
  readonly server: string;
  readonly pack: string | null;
  /** Why it could not be asked. */
  readonly problem: string | null;
  /** Tools that nothing in the policy classifies. */
  readonly undeclared: readonly (readonly [string, Proposal])[];
  /** Tools that are declared laxer than is said or known of them. */
  readonly doubted: readonly { readonly name: string; readonly reasons: readonly string[] }[];
}

export function setUp(command: Command): void {
  describeCommand(command, {
    does: "Starts the servers of a policy, and proposes declarations for those of their tools that it says nothing of, as YAML to paste. Says too where a server describes a tool otherwise than it is declared. Changes nothing.",
    examples: ["sluicegate classify", "sluicegate classify --config sluicegate.yaml --json"],
    exits: {
      0: "every tool is declared, and nothing speaks against it",
      1: "there is something to look at",
      2: POLICY_BROKEN,
    },
    json: "print { servers } as one JSON document",
  })
    .option("--config <file>", "the policy file", "sluicegate.yaml")
    .action(classify);
}

async function classify({
  config: file,
  json,
}: {
  readonly config: string;
  readonly json?: true;
}): Promise<void> {
  const config = await loadConfig(file);
  const servers = [...config.servers.values()];
  const listed = await listTools(servers);
  const reviews = servers.map((server) => review(server, listed.get(server.id), config));
  if (reviews.some(isWorthALook)) exitWithFailure();
  const { lattice } = config.policy;
  if (json) printJson({ servers: reviews.map((one) => toWire(one, lattice)) });
  else for (const one of reviews) print(one, lattice);
}

const isWorthALook = ({ problem, undeclared, doubted }: Review): boolean =>
  problem !== null || undeclared.length > 0 || doubted.length > 0;

function review({ id, transport }: ServerConfig, listed: Listed | undefined, { policy }: Config): Review {
  const none = { server: id, pack: null, undeclared: [], doubted: [] };
  if (listed?.kind !== "tools") return { ...none, problem: listed?.reason ?? "it was not asked" };
  const { tools } = listed;
  const names = tools.map(({ name }) => name);
  const { tools: known, removed } = withOffered(policy, id, names);
  const { pack, tools: proposals } = classifyServer({ transport, tools });
  const undeclared: (readonly [string, Proposal])[] = [];
  const doubted: { name: string; reasons: readonly string[] }[] = [];
  for (const tool of tools) {
    const proposal = proposals.get(tool.name);
    const declared = known.get(toToolId(id, tool.name));
    // What the policy takes away from everybody needs no declaration.
    if (proposal === undefined || removed.has(toToolId(id, tool.name))) continue;
    if (!declared?.classified) {
      undeclared.push([tool.name, proposal]);
      continue;
    }
    const reasons = disagreements(declared, tool, proposal, policy.lattice);
    if (reasons.length > 0) doubted.push({ name: tool.name, reasons });
  }
  return { server: id, pack, problem: null, undeclared, doubted };
}

function print(review: Review, lattice: Lattice): void {
  const { server, pack, problem, undeclared, doubted } = review;
  printLine(styled("bold", shorten(server)), pack === null ? "" : `  known as ${pack}`);
  if (problem !== null) printLine("  ", styled("red", "not asked: "), problem);
  else if (!isWorthALook(review)) printLine("  every tool is declared, and nothing speaks against it");
  for (const { name, reasons } of doubted)
    printLine("  ", styled("yellow", "look at "), `${shorten(name)}: ${reasons.join(" ")}`);
  const proposed = undeclared.filter(([name, one]) => isWritten(name, one));
  if (proposed.length > 0) printProposed(server, proposed, lattice);
  for (const [name, one] of undeclared.filter(([name, one]) => !isWritten(name, one)))
    printLine("  ", styled("red", "withheld "), `${shorten(name)}: ${one.reasons.join(" ")}`);
  printLine();
}

function printProposed(server: string, tools: Review["undeclared"], lattice: Lattice): void {
  const own = new YAMLMap();
  own.set("tools", toolsMap(tools, lattice));
  const servers = new YAMLMap();
  servers.set(server, own);
  const document = new Document({});
  document.set("servers", servers);
  printLine("  to paste, where the policy has none of it:");
  for (const line of document.toString({ lineWidth: 0 }).trimEnd().split("\n")) printLine(line);
}

function toWire({ server, pack, problem, undeclared, doubted }: Review, lattice: Lattice): object {
  return {
    server,
    pack,
    problem,
    undeclared: undeclared.map(([name, one]) => ({
      name,
      confidence: one.confidence,
      declaration: isWritten(name, one) ? toProposedDeclaration(one, lattice) : null,
      reasons: one.reasons,
    })),
    doubted,
  };
}
