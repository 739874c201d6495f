/** What a policy says of a tool, for the wire. */
import type { z } from "zod";
import { type Policy, sensitivityOf, type Tool } from "../../core/index.ts";
import { heightOf } from "../console-data/gauge.ts";
import type { toolFacts } from "./session-schemas.ts";
import { toWireLabel } from "./wire.ts";

/** A tool as its policy declares it; a session's role may ask for approvals otherwise. */
export function toWireTool({ lattice }: Pick<Policy, "lattice">, tool: Tool): z.output<typeof toolFacts> {
  const { approval } = tool;
  const isCondition = typeof approval === "object";
  return {
    tool: tool.id,
    name: tool.name,
    server: tool.server,
    permissions: [...tool.permissions],
    source: tool.source && toWireLabel(tool.source),
    clearances: tool.clearances?.map(toWireLabel) ?? null,
    height: heightOf(lattice, tool),
    releasable: tool.onViolation === "ask",
    approval: isCondition ? "condition" : approval,
    when: isCondition ? approval.when : null,
    tags: [...tool.tags],
    classified: tool.classified,
    sensitivity: sensitivityOf({ lattice }, tool),
  };
}
