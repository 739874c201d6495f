/**
 * Which tools block which others in a session. Computed between classes of labels, of which there are few, rather
 * than between tools, of which there may be thousands.
 */
import { isBlocked } from "../decision/flow.ts";
import { join, type Label, type Lattice } from "../label/label.ts";
import { LabelClasses } from "../label/label-classes.ts";
import type { Tool } from "../tools/tool.ts";

/** The part of a session's state that a manifest depends on. */
export interface Held {
  readonly lattice: Lattice;
  readonly label: Label;
}

/** The tools that are open now and that calling a tool of one source blocks. */
export interface BlockedTools {
  /** In the order of the session's tools. */
  readonly tools: readonly Tool[];
}

/** A tool among the others of its session. */
export interface Placed {
  readonly tool: Tool;
  /** Whether what the session holds may not go to it. */
  readonly blocked: boolean;
  /** What calling it blocks; tools with one source share one. */
  readonly blocks: BlockedTools;
  /** Whether it is among them. */
  readonly blocksItself: boolean;
}

/** Tools with the same clearances. */
interface SinkClass {
  readonly example: Tool;
  readonly number: number;
  readonly blocked: boolean;
}

const NONE: readonly never[] = Object.freeze([]);
const NOTHING: BlockedTools = Object.freeze({ tools: NONE });

/** Each tool with what it blocks, in the order given. */
export function placeTools(held: Held, tools: readonly Tool[]): readonly Placed[] {
  const sinks = new SinkClasses(held);
  const sources = new LabelClasses();
  const sinkOf = tools.map((tool) =>
    tool.clearances === null || tool.to !== null || tool.onViolation === "ask" ? null : sinks.classOf(tool),
  );
  const sourceOf = tools.map(({ source }) => (source === null ? null : sources.classOf(source)));
  const flags = sources.labels.map((source) => sinks.blockedBy(source));
  const open = tools.flatMap((tool, at) => {
    const sink = sinkOf[at] ?? null;
    return sink === null || sink.blocked ? NONE : { tool, sink: sink.number };
  });
  const blocks = flags.map((affected) => blockedAmong(open, affected));
  return tools.map((tool, at) => {
    const [sink, source] = [sinkOf[at] ?? null, sourceOf[at] ?? null];
    return {
      tool,
      blocked: sink?.blocked ?? false,
      blocks: source === null ? NOTHING : (blocks[source] ?? NOTHING),
      blocksItself: source !== null && sink !== null && flags[source]?.[sink.number] === true,
    };
  });
}

function blockedAmong(
  open: readonly { readonly tool: Tool; readonly sink: number }[],
  affected: readonly boolean[],
): BlockedTools {
  if (!affected.includes(true)) return NOTHING;
  const tools: Tool[] = [];
  for (const { tool, sink } of open) if (affected[sink]) tools.push(tool);
  return { tools };
}

class SinkClasses {
  readonly #held: Held;
  readonly #clearances = new LabelClasses();
  readonly #byClearances = new Map<string, SinkClass>();

  constructor(held: Held) {
    this.#held = held;
  }

  classOf(tool: Tool): SinkClass {
    const key = (tool.clearances ?? []).map((label) => this.#clearances.classOf(label)).join();
    const known = this.#byClearances.get(key);
    if (known !== undefined) return known;
    const blocked = isBlocked(this.#held, tool);
    const added = { example: tool, number: this.#byClearances.size, blocked };
    this.#byClearances.set(key, added);
    return added;
  }

  /** By class: whether it is open now, and no longer once a tool of this source was called. */
  blockedBy(source: Label): readonly boolean[] {
    const { lattice, label } = this.#held;
    const after = { lattice, label: join(lattice, label, source) };
    return [...this.#byClearances.values()].map(
      ({ example, blocked }) => after.label !== label && !blocked && isBlocked(after, example),
    );
  }
}
