/** The tools that a session sees, for the wire: what each is, and what it would do to the session. */
import type { z } from "zod";
import {
  isWithin,
  join,
  type Label,
  manifest,
  type Policy,
  type SessionState,
  type Tool,
} from "../../core/index.ts";
import { MAX_LISTED, NewlyBlocked } from "../calls/newly-blocked.ts";
import { toGauge } from "../console-data/gauge.ts";
import type * as schemas from "./session-schemas.ts";
import { toWireLabel } from "./wire.ts";
import { toWireGauge } from "./wire-gauge.ts";
import { toWireTool } from "./wire-tool.ts";

export function toWireSessionTools(
  policy: Policy,
  session: string,
  state: SessionState,
  tools: readonly Tool[],
): z.output<typeof schemas.sessionTools> {
  const consequences = manifest(state, tools).tools;
  const shutsOf = shutsBySource(state, tools);
  return {
    session_id: session,
    label: toWireLabel(state.label),
    gauge: toWireGauge(toGauge(policy, state, tools)),
    tools: tools.map((tool, at) => ({
      ...toWireTool(policy, tool),
      blocked: !isWithin(state, tool),
      shuts: tool.source === null ? [] : shutsOf(tool.source),
      consequence: consequences[at]?.consequence ?? "",
    })),
  };
}

/** What a source shuts. Tools with one source share a list: there are few sources, and there may be many tools. */
function shutsBySource(
  { lattice, label }: SessionState,
  tools: readonly Tool[],
): (source: Label) => string[] {
  const shutTools = new NewlyBlocked(lattice, tools);
  const known = new Map<string, string[]>();
  return (source) => {
    const key = JSON.stringify(source);
    const shut = known.get(key) ?? shutTools.between(label, join(lattice, label, source), MAX_LISTED);
    known.set(key, shut);
    return shut;
  };
}
