/**
 * What an agent is told before it starts: each tool's class, and what calling it will shut, worked out from the
 * tools that this session sees and the label that it has now. Names no tool that the session doesn't have.
 */
import { isBlocked } from "./decide.ts";
import { describeLabel, listNames, plainName } from "./explain.ts";
import { isPrivate, join, type Label } from "./label.ts";
import type { SessionState } from "./state.ts";
import type { Tool } from "./tool.ts";

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

/** The part of a session's state that a manifest depends on. */
export type Held = Pick<SessionState, "lattice" | "label">;

/** The class of a tool. */
export function sensitivityOf(held: Held, tool: Tool): Sensitivity {
  const source = tool.source !== null && isPrivate(held.lattice, tool.source);
  const external = tool.permissions.includes("connect") || tool.clearances !== null;
  if (source) return external ? "both" : "internal_source";
  return external ? "external" : "neutral";
}

const isSource = (sensitivity: Sensitivity): boolean =>
  sensitivity === "internal_source" || sensitivity === "both";

/** What each of these tools would shut now, by the tool's identity; tools with one source share one list. */
export function consequencesOf(held: Held, tools: readonly Tool[]): ReadonlyMap<string, readonly Tool[]> {
  const open = tools.filter((tool) => tool.clearances !== null && !isBlocked(held, tool));
  const bySource = new Map<string, readonly Tool[]>();
  const shuts = (source: Label): readonly Tool[] => {
    const key = JSON.stringify([source.level, source.trust, source.categories]);
    const known = bySource.get(key);
    if (known) return known;
    const after = { lattice: held.lattice, label: join(held.lattice, held.label, source) };
    const shut = after.label === held.label ? [] : open.filter((tool) => isBlocked(after, tool));
    bySource.set(key, shut);
    return shut;
  };
  return new Map(tools.map((tool) => [tool.id, tool.source === null ? [] : shuts(tool.source)]));
}

/** The manifest of a session that sees these tools. */
export function manifest(held: Held, tools: readonly Tool[]): Manifest {
  const consequences = consequencesOf(held, tools);
  const entries = tools.map((tool) => ({
    name: tool.name,
    sensitivity: sensitivityOf(held, tool),
    consequence: consequence(held, tool, consequences.get(tool.id) ?? []),
  }));
  return { tools: entries, orderingHint: orderingHint(held, tools, consequences) };
}

function consequence(held: Held, tool: Tool, shuts: readonly Tool[]): string {
  if (isBlocked(held, tool)) return `already blocked: this session holds ${describeLabel(held.label)}`;
  if (shuts.length > 0) return `calling this tool will block: ${nameSome(shuts)}`;
  return tool.clearances !== null
    ? "none — safe to call before internal tools"
    : "none — calling it blocks nothing";
}

/** Names in the manner of the manifest; a long list is cut, so that a manifest grows with its tools alone. */
function nameSome(tools: readonly Tool[]): string {
  const shown = tools.slice(0, MOST_NAMED).map(({ name }) => plainName(name));
  return tools.length > MOST_NAMED
    ? `${shown.join(", ")} and ${tools.length - MOST_NAMED} more`
    : shown.join(", ");
}

const MOST_NAMED = 20;

function orderingHint(
  held: Held,
  tools: readonly Tool[],
  consequences: ReadonlyMap<string, readonly Tool[]>,
): string {
  const blocking = tools.filter((tool) => (consequences.get(tool.id) ?? []).length > 0);
  if (blocking.some((tool) => isSource(sensitivityOf(held, tool)))) {
    return "complete all external tool calls before calling internal_source tools";
  }
  if (blocking.length > 0) return "call a tool before those whose consequence names it";
  return tools.some((tool) => isBlocked(held, tool))
    ? "some tools are blocked already; the others can be called in any order"
    : "none — these tools can be called in any order";
}

/**
 * The planning constraint for an agent's system prompt: which tools restrict which, external first, what is safe
 * in any order. Plain language; long lists are cut.
 */
export function planningPrompt(held: Held, tools: readonly Tool[]): string {
  const consequences = consequencesOf(held, tools);
  const allShutBy = (tool: Tool): readonly Tool[] => consequences.get(tool.id) ?? [];
  const shutBy = (tool: Tool): readonly Tool[] => allShutBy(tool).filter((other) => other !== tool);
  const blocked = tools.filter((tool) => isBlocked(held, tool));
  const callable = tools.filter((tool) => !isBlocked(held, tool));
  const groups = Map.groupBy(
    callable.filter((tool) => shutBy(tool).length > 0),
    (tool) => listNames(toNames(shutBy(tool))),
  );
  const shut = new Set(callable.flatMap(shutBy));
  const once = callable.filter((tool) => allShutBy(tool).includes(tool));
  const free = callable.filter((tool) => !shut.has(tool) && allShutBy(tool).length === 0);
  const lines = ["Tool ordering (enforced by Sluicegate at every call):"];
  for (const [shuts, by] of groups) {
    lines.push(`- Calling ${listNames(toNames(by), "or")} blocks ${shuts} for the rest of this session.`);
  }
  if (shut.size > 0) lines.push(`- If your task needs both, call ${listNames(toNames([...shut]))} first.`);
  if (once.length > 0)
    lines.push(`- Can be called once, since it blocks itself: ${listNames(toNames(once))}.`);
  if (free.length > 0) lines.push(`- Safe in any order: ${listNames(toNames(free))}.`);
  if (blocked.length > 0) {
    lines.push(
      `- Blocked already, since this session holds ${describeLabel(held.label)}: ${listNames(toNames(blocked))}.`,
    );
  }
  if (tools.length === 0) lines.push("- This session has no tools.");
  return lines.join("\n");
}

const toNames = (tools: readonly Tool[]): readonly string[] => tools.map(({ name }) => name);

/** A tool's consequence in a few words, for its description. */
export function shortConsequence(held: Held, tool: Tool, shuts: readonly Tool[]): string | null {
  if (isBlocked(held, tool)) return "Blocked now: this session holds data that may not go there.";
  if (shuts.length === 0) return null;
  return `Calling it blocks ${listNames(toNames(shuts))} for the rest of this session.`;
}
