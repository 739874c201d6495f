/**
 * The gauge of a session: its label's level, and the gates to the outside at their heights. Computed per class of
 * tools and cached, since a list shows a thousand sessions, each of which sees thousands of tools.
 */
import { hash } from "node:crypto";
import {
  ANY,
  fromLimit,
  isWithin,
  type Label,
  type Lattice,
  type Policy,
  type SessionState,
  type Tool,
  visibleTools,
} from "../../core/index.ts";
import { BoundedMap } from "../../json/bounded-map.ts";

/** Tools that send data out, with the same highest level. */
interface GaugeGate {
  /** The position of the highest level that may pass, 0 for the lowest; the number of levels if any may pass. */
  readonly height: number;
  /** Whether the session's data may not pass. */
  readonly shut: boolean;
  /** Whether a person may release a call that is blocked there. */
  readonly releasable: boolean;
  /** How many tools the gate stands for. */
  readonly tools: number;
  /** The names of the first tools. */
  readonly names: readonly string[];
}

export interface Gauge {
  /** The position of the session's level, 0 for the lowest; the number of levels for the top label. */
  readonly level: number;
  /** Lowest first; at the same height the shut ones first. */
  readonly gates: readonly GaugeGate[];
}

const MAX_NAMES = 8;

/**
 * The gauge of a session. `tools` are those that it sees; left out, they are computed, and the result is cached. A
 * closed session keeps its gates.
 */
export function toGauge(policy: Policy, state: SessionState, tools?: readonly Tool[]): Gauge {
  if (tools) return measure(policy.lattice, state, classify(policy.lattice, tools));
  const view = viewOf(policy, state);
  const key = keyOfLabel(state.label);
  const known = state.lattice === policy.lattice ? view.gauges.get(key) : undefined;
  if (known) return known;
  const gauge = measure(policy.lattice, state, view.classes);
  if (state.lattice === policy.lattice) view.gauges.set(key, gauge);
  return gauge;
}

/** What a session sees; what it saw, if it is closed. */
export const toolsSeen = (policy: Policy, state: SessionState): readonly Tool[] =>
  visibleTools(policy, { ...state, closed: false });

/** The position of the highest level that a tool may receive; null if it sends nothing out. */
export function heightOf({ levels }: Lattice, { clearances }: Pick<Tool, "clearances">): number | null {
  if (clearances === null) return null;
  // An unknown level receives nothing, so it counts as the lowest.
  const heights = clearances.map(({ level }) => (level === ANY ? levels.length : levels.indexOf(level)));
  return Math.max(0, ...heights);
}

/** Tools with the same clearances and the same `on_violation`. */
interface ToolClass {
  readonly height: number;
  readonly releasable: boolean;
  /** One of the tools, which stands for all. */
  readonly example: Tool;
  /** The first tools, with their positions. */
  readonly first: { readonly name: string; readonly place: number }[];
  tools: number;
}

/** What sessions with the same role, tools and tool policies see, with their gauges. */
interface View {
  readonly classes: readonly ToolClass[];
  readonly gauges: Map<string, Gauge>;
}

/** Cached views of one policy, and cached gauges of one view. */
const MAX_REMEMBERED = 256;

const views = new WeakMap<Policy, Map<string, View>>();

function viewOf(policy: Policy, state: SessionState): View {
  const known = views.get(policy) ?? new BoundedMap<string, View>(MAX_REMEMBERED);
  views.set(policy, known);
  const { role, tools: narrowing, limits } = state;
  const key = JSON.stringify([role, narrowing && keyOfNarrowing(narrowing), limits.map(fromLimit)]);
  const found = known.get(key);
  if (found) return found;
  const view = {
    classes: classify(policy.lattice, toolsSeen(policy, state)),
    gauges: new BoundedMap<string, Gauge>(MAX_REMEMBERED),
  };
  known.set(key, view);
  return view;
}

const narrowings = new WeakMap<ReadonlySet<string>, string>();

function keyOfNarrowing(tools: ReadonlySet<string>): string {
  const known = narrowings.get(tools);
  if (known !== undefined) return known;
  const key = hash("sha256", JSON.stringify([...tools].sort()), "base64");
  narrowings.set(tools, key);
  return key;
}

const keyOfLabel = ({ level, categories, trust }: Label): string =>
  JSON.stringify([level, trust, ...categories]);

function classify(lattice: Lattice, tools: readonly Tool[]): readonly ToolClass[] {
  const classes = new Map<string, ToolClass>();
  const keys = new Map<Tool["clearances"], string>();
  for (const [place, tool] of tools.entries()) {
    const { clearances, onViolation, name, to } = tool;
    if (clearances === null) continue;
    const labels = keys.get(clearances) ?? clearances.map(keyOfLabel).join();
    keys.set(clearances, labels);
    const key = `${onViolation} ${to !== null} ${labels}`;
    const one = classes.get(key) ?? toClass(lattice, tool);
    classes.set(key, one);
    one.tools += 1;
    if (one.first.length < MAX_NAMES) one.first.push({ name, place });
  }
  return [...classes.values()];
}

const toClass = (lattice: Lattice, tool: Tool): ToolClass => ({
  height: heightOf(lattice, tool) ?? 0,
  releasable: tool.onViolation === "ask",
  example: tool,
  first: [],
  tools: 0,
});

function measure({ levels }: Lattice, state: SessionState, classes: readonly ToolClass[]): Gauge {
  const groups = Map.groupBy(
    classes.map((one) => ({ ...one, shut: !isWithin(state, one.example) })),
    ({ height, shut, releasable }) => `${height} ${shut} ${releasable}`,
  );
  const gates = groups.values().map((group) => toGate(group));
  const place = levels.indexOf(state.label.level);
  return Object.freeze({
    level: place < 0 ? levels.length : place,
    gates: Object.freeze([...gates].sort(byPlace)),
  });
}

function toGate(group: readonly (ToolClass & { readonly shut: boolean })[]): GaugeGate {
  const [{ height, shut, releasable } = NO_GATE] = group;
  const first = group.flatMap((one) => one.first).sort((one, other) => one.place - other.place);
  return Object.freeze({
    height,
    shut,
    releasable,
    tools: group.reduce((sum, { tools }) => sum + tools, 0),
    names: Object.freeze(first.slice(0, MAX_NAMES).map(({ name }) => name)),
  });
}

const NO_GATE = { height: 0, shut: false, releasable: false };

const byPlace = (one: GaugeGate, other: GaugeGate): number =>
  one.height - other.height ||
  Number(other.shut) - Number(one.shut) ||
  Number(one.releasable) - Number(other.releasable);
