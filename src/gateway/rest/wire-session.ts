/** Sessions as lists show them, their gauges and the tools that they see, for the wire. */
import type { z } from "zod";
import {
  holdsPrivateData,
  isWithin,
  join,
  type Label,
  manifest,
  type Policy,
  type SessionState,
  sensitivityOf,
  type Tool,
} from "../../core/index.ts";
import { type Gauge, heightOf, toGauge } from "../console-data/gauge.ts";
import type { SessionRecord } from "../console-data/session-record.ts";
import { MAX_LISTED, NewlyBlocked } from "./newly-blocked.ts";
import type * as schemas from "./session-schemas.ts";
import { toWireLabel } from "./wire.ts";

/** A session's gauge for the wire. */
export const toWireGauge = ({ level, gates }: Gauge): z.output<typeof schemas.gauge> => ({
  level,
  gates: gates.map((gate) => ({ ...gate, names: [...gate.names] })),
});

/** A tool as the policy declares it; a role may have another `approval`. */
export function toWireTool(
  { lattice }: Pick<Policy, "lattice">,
  tool: Tool,
): z.output<typeof schemas.toolFacts> {
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

/** A row of the list. `waiting` is its number of pending approvals. */
export function toWireSummary(
  policy: Policy,
  record: SessionRecord,
  waiting: number,
): z.output<typeof schemas.sessionSummary> {
  const { state } = record;
  return {
    session_id: record.id,
    principal: state.principal,
    role: state.role,
    label: toWireLabel(state.label),
    private: holdsPrivateData(state),
    calls: state.calls,
    refused: record.refused,
    waiting,
    opened_at: record.openedAt,
    last_at: record.lastAt,
    impossible: state.impossible !== null,
    closed: state.closed,
    gauge: toWireGauge(toGauge(policy, state)),
  };
}

/** The tools that a session sees, with what calling each would do to the session. */
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

/** The tools that a source blocks. Tools with the same source share a list. */
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
