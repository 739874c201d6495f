/** What one call brings in: what its tool declares, and what was found out about the call itself before it runs. */

import type { Tool } from "../tools/tool.ts";
import { flowsTo, isKnownLabel, join, type Label, type Lattice } from "./label.ts";

/**
 * The source label of a call; null if nothing comes in. What was found adds to what is declared; only a tool whose
 * declaration is the most that it may bring in (`sourceBound`) brings in less than that.
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
