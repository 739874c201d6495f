/** The source of one call: its tool's declared source, and what was found out before it runs. */

import type { Tool } from "../tools/tool.ts";
import { flowsTo, isKnownLabel, join, type Label, type Lattice } from "./label.ts";

/**
 * The source label of a call; null if nothing comes in. What was found adds to what is declared. Only if the
 * declaration is an upper bound (`sourceBound`) can the result be lower.
 */
export function sourceOfCall(
  lattice: Lattice,
  { source, sourceBound }: Pick<Tool, "source" | "sourceBound">,
  found: Label | undefined,
): Label | null {
  if (found === undefined) return source;
  if (source === null) return found;
  const isLess = sourceBound === "most" && isKnownLabel(lattice, found) && flowsTo(lattice, found, source);
  return isLess ? found : join(lattice, source, found);
}
