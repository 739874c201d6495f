/**
 * What an agent learns before it starts: each tool's class, and what calling it will block, worked out from the
 * tools that this session sees and the label that it has now. Names no tool that the session doesn't have.
 */
import { describeLabel } from "../decision/explain.ts";
import { isBlocked } from "../decision/flow.ts";
import { joinWords, listNames, plainName, quoteName } from "../decision/quote-name.ts";
import { isPrivate } from "../label/label.ts";
import type { Tool } from "../tools/tool.ts";
import { type BlockedTools, type Held, type Placed, placeTools } from "./blocked-tools.ts";

export type { Held };

/** What a tool does to a session: brings private data in, sends data out, both, or neither. */
export type Sensitivity = "internal_source" | "external" | "both" | "neutral";

export interface ManifestEntry {
  readonly name: string;
  readonly sensitivity: Sensitivity;
  /** Begins with "none" where calling it blocks nothing. */
  readonly consequence: string;
}

export interface Manifest {
  readonly tools: readonly ManifestEntry[];
  readonly orderingHint: string;
}

/** The class of a tool. */
export function sensitivityOf(held: Pick<Held, "lattice">, tool: Tool): Sensitivity {
  const source = tool.source !== null && isPrivate(held.lattice, tool.source);
  const external = tool.permissions.includes("connect") || tool.clearances !== null;
  if (source) return external ? "both" : "internal_source";
  return external ? "external" : "neutral";
}

const isSource = (sensitivity: Sensitivity): boolean =>
  sensitivity === "internal_source" || sensitivity === "both";

/** What each of these tools would block now, by the tool's identity; tools with one source share one list. */
export function consequencesOf(held: Held, tools: readonly Tool[]): ReadonlyMap<string, readonly Tool[]> {
  return new Map(placeTools(held, tools).map(({ tool, blocks }) => [tool.id, blocks.tools]));
}

/** The manifest of a session that sees these tools. */
export function manifest(held: Held, tools: readonly Tool[]): Manifest {
  const placed = placeTools(held, tools);
  const blocks = new Map<BlockedTools, string>();
  const entries = placed.map((one) => ({
    name: one.tool.name,
    sensitivity: sensitivityOf(held, one.tool),
    consequence: consequence(held, one, blocks),
  }));
  return { tools: entries, orderingHint: orderingHint(held, placed) };
}

/** `known`: a cache of sentences. */
function consequence(
  held: Held,
  { tool, blocked, blocks }: Placed,
  known: Map<BlockedTools, string>,
): string {
  if (blocked) return `already blocked: this session holds ${describeLabel(held.label)}`;
  if (blocks.tools.length > 0) {
    const sentence = known.get(blocks) ?? `calling this tool will block: ${nameSome(blocks.tools)}`;
    known.set(blocks, sentence);
    return sentence;
  }
  return tool.clearances !== null
    ? "none — safe to call before internal tools"
    : "none — calling it blocks nothing";
}

/** Names as the manifest writes them. Long lists are cut, so that a manifest's size is linear in its tools. */
function nameSome(tools: readonly Tool[]): string {
  const shown = tools.slice(0, MAX_NAMED).map(({ name }) => plainName(name));
  return tools.length > MAX_NAMED
    ? `${shown.join(", ")} and ${tools.length - MAX_NAMED} more`
    : shown.join(", ");
}

const MAX_NAMED = 20;

function orderingHint(held: Held, placed: readonly Placed[]): string {
  const blocking = placed.filter(({ blocks }) => blocks.tools.length > 0);
  if (blocking.some(({ tool }) => isSource(sensitivityOf(held, tool)))) {
    return "complete all external tool calls before calling internal_source tools";
  }
  if (blocking.length > 0) return "call a tool before those whose consequence names it";
  return placed.some(({ blocked }) => blocked)
    ? "some tools are blocked already; the others can be called in any order"
    : "none — these tools can be called in any order";
}

/** Sentences on what blocks what; the manifest has the rest. */
const MAX_SENTENCES = 8;

/**
 * The planning constraint for an agent's system prompt: which tools restrict which, external first, what is safe
 * in any order. Plain language; however many tools there are, it stays short.
 */
export function planningPrompt(held: Held, tools: readonly Tool[]): string {
  const placed = placeTools(held, tools);
  const blocked = placed.filter((one) => one.blocked);
  const callable = placed.filter((one) => !one.blocked);
  const groups = Map.groupBy(
    callable.filter(({ blocks, blocksItself }) => blocks.tools.length > (blocksItself ? 1 : 0)),
    ({ tool, blocks, blocksItself }) => nameTools(blocks.tools, { but: blocksItself ? tool : null }),
  );
  const blocks = blockedByOthers(callable);
  const once = callable.filter(({ blocksItself }) => blocksItself);
  const free = callable.filter((one) => !blocks.has(one.tool) && one.blocks.tools.length === 0);
  const lines = ["Tool ordering (enforced by Sluicegate at every call):"];
  for (const [affected, by] of [...groups].slice(0, MAX_SENTENCES)) {
    lines.push(`- Calling ${namePlaced(by, "or")} blocks ${affected} for the rest of this session.`);
  }
  if (groups.size > MAX_SENTENCES) {
    const others = [...groups.values()].slice(MAX_SENTENCES).flat();
    lines.push(`- Calling ${namePlaced(others, "or")} blocks others; the manifest says which.`);
  }
  if (blocks.size > 0) lines.push(`- If your task needs both, call ${nameTools([...blocks])} first.`);
  if (once.length > 0) lines.push(`- Can be called once, since it blocks itself: ${namePlaced(once)}.`);
  if (free.length > 0) lines.push(`- Safe in any order: ${namePlaced(free)}.`);
  if (blocked.length > 0) {
    lines.push(
      `- Blocked already, since this session holds ${describeLabel(held.label)}: ${namePlaced(blocked)}.`,
    );
  }
  if (tools.length === 0) lines.push("- This session has no tools.");
  return lines.join("\n");
}

const namePlaced = (placed: readonly Placed[], conjunction: "and" | "or" = "and"): string =>
  nameTools(
    placed.map(({ tool }) => tool),
    { conjunction },
  );

const NONE: readonly never[] = Object.freeze([]);

/** The tools that some other tool blocks, in the order in which the tools' lists name them. */
function blockedByOthers(callable: readonly Placed[]): ReadonlySet<Tool> {
  const found = new Set<Tool>();
  /** Lists already read, each with the tool that was left out because it blocks itself. */
  const without = new Map<BlockedTools, Tool | null>();
  for (const { tool, blocks, blocksItself } of callable) {
    const leftOut = without.get(blocks);
    const more = leftOut === undefined ? blocks.tools : leftOut === null ? NONE : [leftOut];
    for (const other of more) if (other !== tool) found.add(other);
    without.set(blocks, leftOut === undefined && blocksItself ? tool : null);
  }
  return found;
}

/** A tool's consequence in a few words, for its description; its length doesn't grow with the number of tools. */
export function shortConsequence(held: Held, tool: Tool, affected: readonly Tool[]): string | null {
  if (isBlocked(held, tool)) return "Blocked now: this session holds data that may not go there.";
  if (affected.length === 0) return null;
  return `Calling it blocks ${nameTools(affected)}.`;
}

/** At most this many tools are named one by one. */
const FEW = 4;
/** At most this many servers are named for a long list. */
const MAX_SERVERS = 3;
/** At most this many tools of one server are named. */
const FEW_OF_SERVER = 2;

interface Wording {
  readonly conjunction?: "and" | "or";
  /** A tool of the list to leave out. */
  readonly but?: Tool | null;
}

/** Describes tools briefly: by name if they are few, otherwise by server. */
function nameTools(tools: readonly Tool[], { conjunction = "and", but = null }: Wording = {}): string {
  let left = tools.length - (but === null ? 0 : 1);
  if (left <= FEW) {
    const names = tools.filter((tool) => tool !== but).map(({ name }) => name);
    return listNames(names, conjunction);
  }
  const parts: string[] = [];
  for (const { server, first, size } of groupsOf(tools).slice(0, MAX_SERVERS)) {
    const count = size - (but !== null && but.server === server ? 1 : 0);
    if (server !== null && count > FEW_OF_SERVER) {
      parts.push(`${count} tools of ${quoteName(server)}`);
      left -= count;
      continue;
    }
    const named = first.filter((tool) => tool !== but).slice(0, FEW_OF_SERVER);
    parts.push(...named.map(({ name }) => quoteName(name)));
    left -= named.length;
  }
  if (left > 0) parts.push(`${left} more`);
  return joinWords(parts, conjunction);
}

/** The tools of one server, or those that agents run themselves. */
interface Group {
  readonly server: string | null;
  /** Up to one more than are named. */
  readonly first: readonly Tool[];
  readonly size: number;
}

// INVARIANT: lists of tools are immutable; many tools share one.
const knownGroups = new WeakMap<readonly Tool[], readonly Group[]>();

function groupsOf(tools: readonly Tool[]): readonly Group[] {
  const known = knownGroups.get(tools);
  if (known !== undefined) return known;
  const groups = [...Map.groupBy(tools, ({ server }) => server)].map(([server, of]) => ({
    server,
    first: of.slice(0, FEW_OF_SERVER + 1),
    size: of.length,
  }));
  knownGroups.set(tools, groups);
  return groups;
}
