/** Labels and clearances in words, as parts of a sentence. */
import type { Schema } from "../api/client.ts";
import type { Lattice } from "../api/use-lattice.tsx";

type Label = Schema<"Label">;

const levelOf = ({ level }: Label): string => (level === "*" ? "above all levels" : level);
const categoriesOf = ({ categories }: Label): readonly string[] =>
  categories.includes("*") ? ["every category"] : categories;

/** Of data: the level, the categories, and the trust if it is lowered. */
export const describeSource = (label: Label, { trust }: Lattice): string =>
  [levelOf(label), ...categoriesOf(label), ...(label.trust === trust.at(-1) ? [] : [label.trust])].join(", ");

/** Whether a clearance allows everything. */
export const receivesAnything = ({ level, categories, trust }: Label, lattice: Lattice): boolean =>
  level === "*" && categories.includes("*") && trust === lattice.trust[0];

/** Of a sink: the most that it may receive, and the trust that it requires. */
export function describeClearances(labels: readonly Label[], lattice: Lattice): string {
  if (labels.length === 0) return "nothing at all";
  return labels
    .map((label) => {
      if (receivesAnything(label, lattice)) return "anything";
      const demanded = label.trust === lattice.trust[0] ? [] : [`only ${label.trust}`];
      return [`${levelOf(label)} at most`, ...categoriesOf(label), ...demanded].join(", ");
    })
    .join("; or ");
}
