/**
 * Which tools a raise blocks: what the session held before might go to them, and what it holds after may not. Those
 * are among them whose calls a person may release. Worked out between classes of clearances, since a session may see
 * thousands of tools.
 */
import { isWithin, type Label, type Lattice, sameLabel, type Tool } from "../../core/index.ts";

/** Tools that are named where each of a session's tools is listed with what it would block: a list of lists. */
export const MAX_LISTED = 50;

interface SinkClass {
  readonly example: Tool;
  /** The places of its tools. */
  readonly places: number[];
}

export class NewlyBlocked {
  readonly #lattice: Lattice;
  readonly #tools: readonly Tool[];
  #classes: readonly SinkClass[] | null = null;

  /** `tools` are those that the session sees. */
  constructor(lattice: Lattice, tools: readonly Tool[]) {
    this.#lattice = lattice;
    this.#tools = tools;
  }

  /** The names of the first tools that were blocked between two labels, in the order of the session's tools. */
  between(before: Label, after: Label, most = Number.POSITIVE_INFINITY): string[] {
    if (sameLabel(before, after)) return [];
    const lattice = this.#lattice;
    this.#classes ??= classify(this.#tools);
    const mayReceive = (label: Label, { example }: SinkClass): boolean =>
      isWithin({ lattice, label }, example);
    const shut = this.#classes.filter((one) => mayReceive(before, one) && !mayReceive(after, one));
    const first = shut.flatMap(({ places }) => places.slice(0, most)).sort((one, other) => one - other);
    return first.slice(0, most).flatMap((place) => this.#tools[place]?.name ?? []);
  }
}

function classify(tools: readonly Tool[]): readonly SinkClass[] {
  const classes = new Map<string, SinkClass>();
  for (const [place, tool] of tools.entries()) {
    // Of a tool that names recipients, they say what it may receive.
    if (tool.clearances === null || tool.to !== null) continue;
    const key = JSON.stringify(tool.clearances);
    const known = classes.get(key) ?? { example: tool, places: [] };
    known.places.push(place);
    classes.set(key, known);
  }
  return [...classes.values()];
}
