/**
 * A proposed policy as YAML, with the reason behind each guess beside it.
 * THREAT: ids, arguments, names and reasons hold text of strangers. Values are written by the YAML library alone, and a
 * comment is one line without anything invisible, so that none of it becomes a key.
 */
import { Document, isMap, type Pair, Scalar, YAMLMap } from "yaml";
import { DEFAULT_LATTICE, isPattern, type Lattice } from "../../core/index.ts";
import { toVisible } from "../../json/visible-json.ts";
import type { ServerProposal } from "../classify/classify-server.ts";
import { PROPOSED_ENDORSEMENT, toProposedDeclaration } from "../classify/declaration.ts";
import type { Proposal } from "../classify/proposal.ts";
import type { GatheredServer } from "../configurations/gather-servers.ts";
import type { FoundTransport } from "../configurations/read-configuration.ts";

export interface ProposedServer {
  readonly server: GatheredServer;
  readonly proposal: ServerProposal;
  /** Why its tools could not be listed; null if they were, or nobody asked. */
  readonly problem: string | null;
  readonly wasAsked: boolean;
}

/** Whether a proposal is written down; what isn't, the gateway withholds. */
export const isWritten = (name: string, { confidence }: Proposal): boolean =>
  confidence !== "unknown" && isPlainToolName(name);

// THREAT: a server may call a tool `*`, and a key like that classifies all that it has; `__proto__` is no key at all.
const isPlainToolName = (name: string): boolean =>
  /^(?!__|mcp__)[A-Za-z0-9_.-]{1,128}$/.test(name) && !isPattern(name);

/** The text of the whole policy. */
export function policyText(servers: readonly ProposedServer[], head: readonly string[]): string {
  const document = new Document({ version: 1 });
  document.commentBefore = comment(head);
  const map = new YAMLMap();
  for (const one of servers) map.add(serverPair(one, map.items.length > 0));
  for (const [key, value] of Object.entries(PROPOSED_ENDORSEMENT)) document.set(key, value);
  document.set("servers", map);
  document.set("detectors", { secrets: "secret" });
  document.set("unclassified", "withhold");
  if (isMap(document.contents)) addNotes(document.contents);
  return document.toString({ lineWidth: 0, indent: 2, flowCollectionPadding: true });
}

function addNotes(root: YAMLMap): void {
  const notes: Readonly<Record<string, string>> = {
    endorsement:
      "After a stranger's text a change or a message runs unasked only where the user named whom or what it is for.\nWhom the user named may receive data up to `named`; `evidence` is what else counts as the user's word.",
    servers: "How each is reached, and what its tools do.",
    detectors:
      "A key or a password that turns up in a result makes the session secret.\nFor personal data such as e-mail addresses and card numbers: personal_data: confidential",
    unclassified: "A tool that is not named above is not shown to any agent.",
  };
  for (const pair of root.items) {
    const note = notes[String(pair.key instanceof Scalar ? pair.key.value : pair.key)];
    if (note === undefined) continue;
    const key = pair.key instanceof Scalar ? pair.key : new Scalar(pair.key);
    key.spaceBefore = true;
    key.commentBefore = comment(note.split("\n"));
    pair.key = key;
  }
}

function serverPair({ server, proposal, problem, wasAsked }: ProposedServer, spaced: boolean): Pair {
  const document = new Document();
  const value: unknown = document.createNode(transportOf(server.transport));
  const written = [...proposal.tools].filter(([name, one]) => isWritten(name, one));
  const withheld = [...proposal.tools].filter(([name, one]) => !isWritten(name, one));
  const notes = [
    `${server.names.join(", ")}: from ${server.places.join(", ")}`,
    ...server.hidden.map(({ name, where }) => `${name} is what stands there as ${where}.`),
    ...proposal.notes,
    ...(problem === null ? [] : [`It could not be asked for its tools: ${problem}.`]),
    ...(problem === null || written.length === 0 ? [] : ["Its tools are those that are known of it."]),
    ...(wasAsked || written.length === 0 ? [] : ["It was not started: its tools are those that are known."]),
    ...(written.length === 0 ? ["Nothing is known of its tools, so agents get none of them."] : []),
    ...withheld.map(([name, { reasons }]) => `withheld: ${name}. ${reasons.join(" ")}`),
  ];
  if (isMap(value) && written.length > 0) {
    value.set("tools", toolsMap(written));
  }
  const key = new Scalar(server.id);
  key.spaceBefore = spaced;
  key.commentBefore = comment(notes);
  return document.createPair(key, value);
}

function transportOf(transport: FoundTransport): object {
  if (transport.kind === "http") {
    const { url, headers } = transport;
    return { url, ...(Object.keys(headers).length > 0 && { headers }) };
  }
  const { command, args, env, cwd } = transport;
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== null && { cwd }),
  };
}

const DOUBT: Readonly<Record<Proposal["confidence"], string>> = {
  known: "",
  likely: "guess: ",
  doubtful: "DOUBTFUL, look at it: ",
  unknown: "",
};

/** The tools that are written down, with why above each. */
export function toolsMap(
  tools: readonly (readonly [string, Proposal])[],
  lattice = DEFAULT_LATTICE,
): YAMLMap {
  const map = new YAMLMap();
  let above = "";
  for (const [name, one] of tools) {
    const why = `${DOUBT[one.confidence]}${one.reasons.join(" ")}`;
    map.add(toolPair(name, one, lattice, why === above ? null : why));
    above = why;
  }
  return map;
}

/** What has the same reason as the tool above it stands below that one's. */
function toolPair(name: string, proposal: Proposal, lattice: Lattice, why: string | null): Pair {
  const document = new Document();
  const value = document.createNode(toProposedDeclaration(proposal, lattice));
  if (isMap(value)) value.flow = true;
  const key = new Scalar(name);
  if (why !== null) key.commentBefore = comment([why]);
  return document.createPair(key, value);
}

const MAX_COMMENT_LENGTH = 600;

/** Lines of a comment, each of them one line whatever it holds. */
const comment = (lines: readonly string[]): string =>
  lines.map((line) => ` ${toVisible(line).slice(0, MAX_COMMENT_LENGTH)}`).join("\n");
