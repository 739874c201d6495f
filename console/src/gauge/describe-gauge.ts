/** A gauge in words, for people who don't see it. */
import type { Schema } from "../api/client.ts";
import { toVisibleLine } from "../text/visible-line.ts";

type Gauge = Schema<"Gauge">;

/** Names of tools listed for one gate. */
const MAX_NAMED = 5;

const levelName = (height: number, levels: readonly string[]): string =>
  levels[height] ?? "what is above all levels";

/** The content of a gauge: the level, then the shut gates and the open ones. */
export function describeGauge({ level, gates }: Gauge, levels: readonly string[]): string {
  const holds =
    level >= levels.length
      ? "The session holds data above all levels."
      : `The session stands at ${levelName(level, levels)}.`;
  const told = (isShut: boolean): string =>
    gates
      .filter(({ shut }) => shut === isShut)
      .map(
        (gate) =>
          `${nameTools({ ...gate, names: gate.names.map(toVisibleLine) })} (${levelName(gate.height, levels)}${gate.releasable && isShut ? ", a person may release" : ""})`,
      )
      .join("; ");
  const [shut, open] = [told(true), told(false)];
  const none = gates.length === 0 ? " It has no way out." : "";
  return `${holds}${shut && ` Shut: ${shut}.`}${open && ` Open: ${open}.`}${none}`;
}

/** The tools behind a gate, by name as far as names are given. */
export function nameTools({ names, tools }: Schema<"Gauge">["gates"][number]): string {
  const shown = names.slice(0, MAX_NAMED);
  const more = tools - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
