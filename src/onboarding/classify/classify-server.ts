/**
 * Proposes what a server's tools are: by a pack where the server is known, else by a guess from each description.
 * A pack is believed for the tools that it knows, of a server that comes from where it says, and no further.
 */
import { hasEffect } from "../../core/index.ts";
import { packFor } from "../packs/index.ts";
import type { Labels, Pack } from "../packs/pack.ts";
import { isStartedWith, type Origin, originOf, startedWith, type Transport } from "../packs/recognise.ts";
import { guessTool, namedArguments } from "./guess-tool.ts";
import { type DescribedTool, higher, type Proposal, type Sensitivity } from "./proposal.ts";
import { tighten } from "./tighten.ts";

/** A server to classify. */
export interface DescribedServer {
  readonly transport: Transport;
  /** What it offers; null if it was not asked, and a pack must do. */
  readonly tools: readonly DescribedTool[] | null;
}

export interface ServerProposal {
  /** The pack that was used. */
  readonly pack: string | null;
  readonly origin: Origin | null;
  /** By the tools' own names. */
  readonly tools: ReadonlyMap<string, Proposal>;
  /** Sentences about the server as a whole. */
  readonly notes: readonly string[];
}

/** Proposes something for every tool of a server. Never throws. */
export function classifyServer({ transport, tools }: DescribedServer): ServerProposal {
  const origin = originOf(transport);
  const found = origin === null ? null : packFor(origin);
  const isLike = found !== null && (tools === null || resembles(found, tools));
  const pack = isLike && found !== null ? asStarted(found, transport, origin) : null;
  const notes = notesOf(found, pack);
  if (tools === null) return { pack: pack?.name ?? null, origin, tools: fromPackAlone(pack), notes };
  const proposals = new Map(tools.map((tool) => [tool.name, classifyTool(tool, pack)] as const));
  return { pack: pack?.name ?? null, origin, tools: withOwnData(proposals), notes };
}

/** A read may be asked with what its own server holds: the names of all its reads say how much that is. */
function withOwnData(proposals: ReadonlyMap<string, Proposal>): ReadonlyMap<string, Proposal> {
  const isOwnRead = ({ confidence, permissions }: Proposal): boolean =>
    confidence === "likely" && permissions.join() === "read";
  const held = [...proposals.values()]
    .filter(isOwnRead)
    .reduce<Sensitivity>((level, { sink }) => higher(level, sink ?? level), "internal");
  return new Map([...proposals].map(([name, one]) => [name, isOwnRead(one) ? { ...one, sink: held } : one]));
}

/** The same server, started so that the pack that knows where it comes from is right about its tools. */
export function withNeededEnvironment<Server extends Transport & { readonly kind: "stdio" }>(
  transport: Server,
  origin: Origin | null,
): Server {
  const { environment } = (origin && packFor(origin)) ?? {};
  return environment === undefined
    ? transport
    : startedWith(transport, environment, origin?.kind === "image");
}

/** The pack, asking each time where the server isn't started as it has to be. */
function asStarted(pack: Pack, transport: Transport, origin: Origin | null): Pack {
  const { environment } = pack;
  if (environment === undefined) return pack;
  if (transport.kind === "stdio" && isStartedWith(transport, environment, origin?.kind === "image"))
    return pack;
  const wanted = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const why = `Each call asks, since its process isn't started with \`${wanted.join(" ")}\`.`;
  const strict = (labels: Labels): Labels => ({
    ...labels,
    approval: "always",
    reasons: [...labels.reasons, why],
  });
  return { ...pack, tools: new Map([...pack.tools].map(([name, labels]) => [name, strict(labels)])) };
}

/** Proposes something for one tool of a server that has this pack, or none. Never throws. */
function classifyTool(tool: DescribedTool, pack: Pack | null): Proposal {
  const guess = guessTool(tool);
  const labels = pack?.tools.get(tool.name);
  if (pack === null || labels === undefined) return guess;
  const named = hasEffect(labels) ? namedArguments(tool) : {};
  const { expects, ...known } = labels;
  return tighten({ ...named, ...known, tags: [pack.tag], confidence: "known" }, tool, guess, expects);
}

function fromPackAlone(pack: Pack | null): ReadonlyMap<string, Proposal> {
  const tools = [...(pack?.tools ?? [])];
  return new Map(
    tools.map(([name, { expects: _, ...labels }]) => [
      name,
      { ...labels, tags: [pack?.tag ?? ""], confidence: "known" },
    ]),
  );
}

function notesOf(found: Pack | null, used: Pack | null): readonly string[] {
  if (found === null) return [];
  if (used === null)
    return [`It comes from where \`${found.name}\` does, but offers other tools; so each is guessed.`];
  return [`It is \`${used.name}\`, which is known.`];
}

/** Whether what it offers is what the pack is about: newer versions have more, or fewer. */
function resembles(pack: Pack, tools: readonly DescribedTool[]): boolean {
  const known = tools.filter(({ name }) => pack.tools.has(name)).length;
  return known > 0 && known * 2 >= Math.min(tools.length, pack.tools.size);
}
