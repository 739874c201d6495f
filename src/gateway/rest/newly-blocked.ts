/**
 * Which tools a raise blocks: the session's earlier label may flow to them, the new one may not. This includes tools
 * whose calls a person may release. Computed per class of clearances, since a session may see thousands of tools.
 */
import { isWithin, type Label, type Lattice, sameLabel, type Tool } from "../../core/index.ts";

/** Tools listed for each tool that would block them: a list of lists, so it is short. */
export const MAX_LISTED = 50;

interface SinkClass {
  readonly example: Tool;
  /** The positions of its tools. */
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

  /**
   * The names of the first tools that are blocked by going from one label to the other, in the order of the session's
   * tools.
   */
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
    // For a tool with recipients, the recipients determine what it may receive.
    if (tool.clearances === null || tool.to !== null) continue;
    const key = JSON.stringify(tool.clearances);
    const known = classes.get(key) ?? { example: tool, places: [] };
    known.places.push(place);
    classes.set(key, known);
  }
  return [...classes.values()];
}
