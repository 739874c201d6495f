/**
 * A session's gauge at another label, for playing a plan. It shows what the gateway has answered, and decides
 * nothing; it compares labels with the core's own function.
 */
import { flowsTo, type Lattice } from "../../../src/core/label/label.ts";
import type { Schema } from "../api/client.ts";

type Gauge = Schema<"Gauge">;
type Gate = Gauge["gates"][number];
type Label = Schema<"Label">;

/** The parts of a tool that a gauge needs. */
type GaugedTool = Pick<
  Schema<"SessionTools">["tools"][number],
  "name" | "height" | "clearances" | "releasable"
>;

/** As many as the gateway lists. */
const MAX_NAMED = 8;

/** Gates by height, lowest first; at the same height the shut ones first. */
export function gaugeAt(lattice: Lattice, tools: readonly GaugedTool[], label: Label): Gauge {
  const sinks = tools.flatMap(({ name, height, clearances, releasable }) =>
    height === null || clearances === null
      ? []
      : [{ name, height, releasable, shut: !clearances.some((one) => flowsTo(lattice, label, one)) }],
  );
  const gates = Map.groupBy(sinks, ({ height, shut, releasable }) => `${height} ${shut} ${releasable}`)
    .values()
    .map((group) => toGate(group));
  const level = lattice.levels.indexOf(label.level);
  return { level: level < 0 ? lattice.levels.length : level, gates: [...gates].sort(byPlace) };
}

type Sink = Omit<Gate, "tools" | "names"> & { readonly name: string };

const toGate = (group: readonly Sink[]): Gate => ({
  height: group[0]?.height ?? 0,
  shut: group[0]?.shut ?? false,
  releasable: group[0]?.releasable ?? false,
  tools: group.length,
  names: group.slice(0, MAX_NAMED).map(({ name }) => name),
});

const byPlace = (one: Gate, other: Gate): number =>
  one.height - other.height ||
  Number(other.shut) - Number(one.shut) ||
  Number(one.releasable) - Number(other.releasable);
