/** Notes on a tool's description: what calling it would block in this session now. */
import { consequencesOf, shortConsequence, type Tool } from "../core/index.ts";
import type { Session, ToolListing } from "../runtime/index.ts";

/** One listing is shared by all that see the same tools under the same label. */
const known = new WeakMap<ToolListing, ReadonlyMap<string, readonly Tool[]>>();

/** A tool's description for this session now; the same words as over MCP. */
export function describeFor(session: Session, name: string, description = ""): string {
  const tool = session.tool(name);
  if (tool === null) return description;
  const cost = shortConsequence(session.state, tool, shutBy(session).get(tool.id) ?? []);
  return cost === null ? description : `${description}\n\n[Sluicegate] ${cost}`.trim();
}

function shutBy(session: Session): ReadonlyMap<string, readonly Tool[]> {
  const catalogue = session.listing();
  const told = known.get(catalogue) ?? consequencesOf(session.state, catalogue.tools);
  known.set(catalogue, told);
  return told;
}
