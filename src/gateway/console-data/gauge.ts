/**
 * A session as a channel: how high its label stands, and the gates to the outside at their heights. Worked out
 * between classes of tools and remembered, since a list shows a thousand sessions, each of which sees thousands
 * of tools.
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

/** Tools to the outside at one height. */
export interface GaugeGate {
  /** The place of the highest level that may pass, 0 the lowest; the number of levels: above them all. */
  readonly height: number;
  /** Whether what the session holds may not pass. */
  readonly shut: boolean;
  /** Whether a person may let one call pass where it is blocked. */
  readonly releasable: boolean;
  /** How many tools stand behind it. */
  readonly tools: number;
  /** The names of the first of them. */
  readonly names: readonly string[];
}

export interface Gauge {
  /** The place of the session's level among the policy's, 0 the lowest; their number: above them all. */
  readonly level: number;
  /** Lowest first; of one height the shut ones first. */
  readonly gates: readonly GaugeGate[];
}

const MAX_NAMES = 8;

/**
 * The gauge of a session. `tools` are those that it sees; left out, they are found, and the answer is remembered.
 * A closed session has the gates that it had.
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

/** What a session sees; where it is closed, what it saw. */
export const toolsSeen = (policy: Policy, state: SessionState): readonly Tool[] =>
  visibleTools(policy, { ...state, closed: false });

/** The place of the highest level that a tool may receive; null if it sends nothing out. */
export function heightOf({ levels }: Lattice, { clearances }: Pick<Tool, "clearances">): number | null {
  if (clearances === null) return null;
  // A level that nobody knows receives nothing: it counts as the lowest, where its gate is the first to be shut.
  const heights = clearances.map(({ level }) => (level === ANY ? levels.length : levels.indexOf(level)));
  return Math.max(0, ...heights);
}

/** Tools with the same clearances and the same way out. */
interface ToolClass {
  readonly height: number;
  readonly releasable: boolean;
  /** One of them, which represents all. */
  readonly example: Tool;
  /** The first of them, each with its place. */
  readonly first: { readonly name: string; readonly place: number }[];
  tools: number;
}

/** What sessions of one role, one narrowing and the same tool policies of their own see, and the gauges that were made of it. */
interface View {
  readonly classes: readonly ToolClass[];
  readonly gauges: Map<string, Gauge>;
}

/** Views of one policy, and gauges of one view, that are remembered. */
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
