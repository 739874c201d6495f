/**
 * Which sources' data may flow to which sinks under a policy, from a clean session. Tools with the same label, or
 * with the same clearances, are grouped: there are few groups, but perhaps thousands of tools.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  ANY,
  flowsTo,
  initialState,
  type Label,
  type Lattice,
  type Policy,
  type Tool,
  visibleTools,
} from "../../core/index.ts";

/** `release`: only if a person releases the call. */
type Flow = "may" | "release" | "may-not";

/** Tools with the same source. */
interface FlowSource {
  readonly label: Label;
  /** Their identities. */
  readonly tools: readonly string[];
}

/** Tools with the same clearances. */
interface FlowSink {
  readonly clearances: readonly Label[];
  readonly releasable: boolean;
  /** Their identities. */
  readonly tools: readonly string[];
}

/** Both ordered from the lowest to the highest. */
export interface Flows {
  readonly sources: readonly FlowSource[];
  readonly sinks: readonly FlowSink[];
  /** By source, then by sink. */
  readonly cells: readonly (readonly Flow[])[];
}

// INVARIANT: a policy object never changes.
const known = new WeakMap<Policy, Promise<Flows>>();

/** The flows among the classified tools, without those that the policy denies to everybody. */
export function flowsOf(policy: Policy): Promise<Flows> {
  const flows = known.get(policy) ?? findFlows(policy);
  known.set(policy, flows);
  return flows;
}

/** Cells computed in one turn of the event loop. */
const CELLS_IN_TURN = 20_000;

async function findFlows(policy: Policy): Promise<Flows> {
  const { lattice } = policy;
  const tools = visibleTools(policy, initialState(lattice)).filter(({ classified }) => classified);
  const sources = sourcesOf(lattice, tools);
  const sinks = sinksOf(lattice, tools);
  const cells: (readonly Flow[])[] = [];
  let inTurn = 0;
  for (const { label } of sources) {
    cells.push(sinks.map((sink) => flowBetween(lattice, label, sink)));
    inTurn += sinks.length;
    if (inTurn < CELLS_IN_TURN) continue;
    inTurn = 0;
    await nextTurn();
  }
  return { sources, sinks, cells };
}

function flowBetween(lattice: Lattice, label: Label, { clearances, releasable }: FlowSink): Flow {
  if (clearances.some((clearance) => flowsTo(lattice, label, clearance))) return "may";
  return releasable ? "release" : "may-not";
}

function sourcesOf(lattice: Lattice, tools: readonly Tool[]): readonly FlowSource[] {
  const found = new Map<string, { readonly label: Label; readonly tools: string[] }>();
  for (const { id, source } of tools) {
    if (source === null) continue;
    const key = keyOf(source);
    const group = found.get(key) ?? { label: source, tools: [] };
    group.tools.push(id);
    found.set(key, group);
  }
  return [...found.values()].sort((one, other) => compareLabels(lattice, one.label, other.label));
}

function sinksOf(lattice: Lattice, tools: readonly Tool[]): readonly FlowSink[] {
  const found = new Map<string, FlowSink & { readonly tools: string[] }>();
  for (const { id, clearances, onViolation } of tools) {
    if (clearances === null) continue;
    const key = `${onViolation} ${clearances.map(keyOf).sort().join()}`;
    const sorted = clearances.toSorted((one, other) => compareLabels(lattice, one, other));
    const group = found.get(key) ?? { clearances: sorted, releasable: onViolation === "ask", tools: [] };
    group.tools.push(id);
    found.set(key, group);
  }
  return [...found.values()].sort((one, other) => compareSinks(lattice, one, other));
}

const keyOf = ({ level, categories, trust }: Label): string => JSON.stringify([level, trust, ...categories]);

/** By the highest label that each may receive; if equal, those that a person may release come last. */
function compareSinks(lattice: Lattice, one: FlowSink, other: FlowSink): number {
  const [left, right] = [one.clearances.at(-1), other.clearances.at(-1)];
  const byLabel = left && right ? compareLabels(lattice, left, right) : Number(!!left) - Number(!!right);
  return (
    byLabel ||
    one.clearances.length - other.clearances.length ||
    Number(one.releasable) - Number(other.releasable)
  );
}

/** By level, then categories, then trust: a label that may flow to less is higher. */
function compareLabels({ levels, trust }: Lattice, one: Label, other: Label): number {
  const rankOf = ({ level }: Label): number => {
    const rank = levels.indexOf(level);
    return rank < 0 ? levels.length : rank;
  };
  const sizeOf = ({ categories }: Label): number =>
    categories.includes(ANY) ? Number.MAX_SAFE_INTEGER : categories.length;
  return (
    rankOf(one) - rankOf(other) ||
    sizeOf(one) - sizeOf(other) ||
    trust.indexOf(other.trust) - trust.indexOf(one.trust) ||
    one.categories.join().localeCompare(other.categories.join())
  );
}
