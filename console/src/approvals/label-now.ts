/** What a session holds by now, where an approval tells what it held when it was asked. */
import type { Approval } from "../api/queries.ts";
import type { Lattice } from "../api/use-lattice.ts";

type Label = Approval["label"];

/** The join of the label when it was asked and of all that has raised it. */
export function labelNow(
  { label, held, gauge }: Pick<Approval, "label" | "held" | "gauge">,
  { levels, trust }: Lattice,
): Label {
  const parts = [label, ...held.map((one) => one.label)];
  // What the policy doesn't know counts as the least trusted.
  const lowest = Math.min(...parts.map((part) => trust.indexOf(part.trust)));
  return {
    level: levels[gauge.level] ?? (levels.length === 0 ? label.level : "*"),
    categories: [...new Set(parts.flatMap(({ categories }) => categories))].sort(),
    trust: trust[lowest] ?? label.trust,
  };
}
